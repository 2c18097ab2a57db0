-- Forward authentication for HAProxy 2.6 or newer: asks the service who is calling, before the request is passed on.
-- Everything but a 200 ends the request: with the service's own refusal and challenges, or with 503.
local url = os.getenv("AUTH_URL")
local host = os.getenv("AUTH_HOST")
local application = os.getenv("APP_HOST")

-- What the application is told.
local told = {
  "remote-user", "remote-id", "remote-groups", "x-auth-session-id", "x-auth-methods", "x-auth-admin"
}

core.register_action("forward-auth", { "http-req" }, function(txn)
  local sent = txn.http:req_get_headers()
  -- What a DPoP proof is about: the listener of the recipe has TLS.
  local headers = {
    host = { host },
    ["x-forwarded-method"] = { txn.sf:method() },
    ["x-forwarded-proto"] = { "https" },
    ["x-forwarded-host"] = { application },
    ["x-forwarded-uri"] = { txn.sf:path() }
  }
  -- All lines of each: a request may carry two tokens.
  for _, name in ipairs({ "authorization", "dpop", "zt-session" }) do
    if sent[name] then
      headers[name] = {}
      for at = 0, #sent[name] do table.insert(headers[name], sent[name][at]) end
    end
  end

  local answer = core.httpclient():get({ url = url, headers = headers, timeout = 5000 })
  if answer and answer.status == 200 then
    for _, name in ipairs(told) do
      txn.http:req_set_header(name, answer.headers[name][0])
    end
    txn:set_var("txn.is_known", true)
    return
  end

  local reply = txn:reply({ status = 503 })
  if answer and (answer.status == 401 or answer.status == 403) then
    reply = txn:reply({ status = answer.status, body = answer.body })
    for _, name in ipairs({ "www-authenticate", "dpop-nonce", "content-type", "x-request-id" }) do
      local lines = answer.headers[name]
      if lines then
        for at = 0, #lines do reply:add_header(name, lines[at]) end
      end
    end
  end
  txn:done(reply)
end, 0)
