import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { eventSubscriptionEntity as entity } from '../../../../src/model/entities/event-subscription.ts';
import { useAction } from '../../../parts/action.ts';
import { timeText } from '../../../parts/language.ts';
import { Badge, Button, Card, Facts, Screen } from '../../../parts/screen.tsx';
import type { Draft } from '../../forms/entity-fields.ts';
import { EntityScreen } from '../../forms/entity-screen.tsx';
import { EntityField, FieldCard } from '../../forms/fields.tsx';
import { EntityList } from '../../lists/entity-list.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Deliveries } from '../../parts/deliveries.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Time } from '../../parts/time.tsx';
import { refresh, useRead } from '../../queries.ts';
import { type Change, make } from '../../session/api.ts';
import type { EventDelivery, EventSubscription } from '../../types.ts';
import { type Created, FirstSecret, ShownOnce, withSecret } from '../clients/client-secrets.tsx';
import { Progress } from './failing.tsx';
import { words } from './words.ts';

type SubscriptionDraft = Draft<EventSubscription, typeof entity>;

export function SubscriptionScreen() {
  const [created, setCreated] = useState<Created | null>(null);
  if (created !== null) return <Subscribed {...created} />;
  return (
    <EntityScreen<EventSubscription, SubscriptionDraft>
      entity={entity}
      create={words.create}
      initial={{ type: 'webhook' }}
      // The form does not keep the answer with the first secret, which has signed nothing yet: another one replaces it.
      created={async (id, { name, type }) => {
        const secret = type === 'webhook' ? newSecretOf(id, '0s') : null;
        setCreated(await withSecret({ id, name: name ?? '' }, secret));
      }}
      fields={(isNew) => (
        <>
          <FieldCard id="where" title={words.where} names={['name']}>
            {isNew && <EntityField name="type" />}
            <EntityField name="url" />
            <EntityField name="trustedRoots" />
            <EntityField name="enabled" />
          </FieldCard>
          <FieldCard id="which" title={words.which} names={['events', 'filter', 'tags']} />
        </>
      )}
      deletionEnds={words.deleteEnds}
    >
      {(subscription, mayChange) => (
        <>
          <Facts facts={[[words.progress, <ProgressNow key="progress" subscription={subscription} />]]} />
          {mayChange && <Actions subscription={subscription} />}
          <Deliveries<EventDelivery>
            collection="event-subscriptions"
            id={subscription.id}
            words={words}
            entry={({ at, event }, outcome) => (
              <>
                <Time at={at} isPrecise /> <code>{event}</code> {outcome}
              </>
            )}
          />
        </>
      )}
    </EntityScreen>
  );
}

const newSecretOf = (id: string, overlap: string): Change => ({
  method: 'POST',
  path: `event-subscriptions/${id}/secrets`,
  body: { overlap },
});

function Subscribed(created: Created) {
  return (
    <Screen title={words.createdTitle(created.name)} lead={words.createdText}>
      <FirstSecret {...created} label={words.secretOnce} />
      <p className="buttons">
        <Link to="/events/$id" params={{ id: created.id }} className="button main" id="open-subscription">
          {words.open}
        </Link>
      </p>
    </Screen>
  );
}

/** Read again together with the latest deliveries, which it would contradict otherwise. */
function ProgressNow({ subscription }: { subscription: EventSubscription }) {
  const path = `event-subscriptions/${subscription.id}`;
  const { data = subscription } = useRead<EventSubscription>(path, { refetchInterval: 10_000 });
  return <Progress subscription={data} />;
}

/** A test, a replay, and another secret. */
function Actions({ subscription: { id, type, formerSecretUntil } }: { subscription: EventSubscription }) {
  const path = `event-subscriptions/${id}`;
  const testing = useAction({
    mutationFn: () =>
      make<{ readonly isDelivered: boolean; readonly result: string }>({
        method: 'POST',
        path: `${path}/test`,
      }),
  });
  const rotating = useAction({
    mutationFn: () => make<{ readonly secret: string }>(newSecretOf(id, '24h')),
    onSuccess: refresh,
  });
  return (
    <Card id="actions" title={words.check}>
      <div role="status">
        {testing.data !== undefined && (
          <p>
            <Badge kind={testing.data.isDelivered ? 'good' : 'bad'}>
              {testing.data.isDelivered ? words.arrived : words.notArrived}
            </Badge>{' '}
            {testing.data.result}
          </p>
        )}
      </div>
      {testing.error !== null && <Failure error={testing.error} />}
      {rotating.data !== undefined && <ShownOnce label={words.secretOnce} text={rotating.data.secret} />}
      {rotating.error !== null && <Failure error={rotating.error} />}
      {formerSecretUntil !== null && Date.parse(formerSecretUntil) > Date.now() && (
        <p className="hint">{words.overlap(timeText(formerSecretUntil))}</p>
      )}
      <p className="buttons">
        <Button id="test" isBusy={testing.isPending} onClick={() => testing.mutate()}>
          {words.test}
        </Button>
        <Confirm
          id="replay"
          label={words.replay}
          title={words.replayTitle}
          ends={words.replayText}
          change={() => ({ method: 'POST', path: `${path}/replay`, body: {} })}
          command={['event-subscription', 'replay', id]}
          done={words.replayed}
        />
        {type === 'webhook' && (
          <Button id="rotate-secret" isBusy={rotating.isPending} onClick={() => rotating.mutate()}>
            {words.rotate}
          </Button>
        )}
      </p>
    </Card>
  );
}

export function SubscriptionsScreen() {
  return (
    <EntityList<EventSubscription>
      entity={entity}
      columns={[
        'type',
        'enabled',
        'url',
        {
          name: 'progress',
          title: words.progress,
          cell: (of) => <Progress subscription={of} />,
          text: ({ failures, waiting }) => words.failing(failures, waiting),
        },
      ]}
      words={words}
      filters={['type', 'enabled']}
    />
  );
}
