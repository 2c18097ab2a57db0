// The Node that an installed package brings, compressed: 40 MB instead of 150. Users with a recent Node do not need it.
// Plain JavaScript that any Node can parse.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';

/** @returns what the package says of its Node for this computer; undefined: it brings none */
export function packedNode(root) {
  const folder = join(root, 'runtime', `${process.platform}-${process.arch}`);
  try {
    return { folder, ...JSON.parse(readFileSync(join(folder, 'node.json'), 'utf8')) };
  } catch {
    return undefined;
  }
}

/**
 * Unpacks it once into the user's own cache.
 * @returns its path
 * @throws Error the cache cannot be written, the file is not what was packed
 */
export async function unpackedNode({ folder, version, size, sha256 }) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'overlay-auth');
  const name = `node-${version}-${sha256.slice(0, 16)}`;
  const node = join(cache, name, 'node');
  if (isOurs(node, size)) return node;
  process.stderr.write(`Unpacking Node ${version} into ${join(cache, name)}, once …\n`);
  mkdirSync(join(cache, name), { recursive: true, mode: 0o700 });
  // Several may start at once: each writes a file of its own, and the last rename wins.
  const mine = `${node}.${process.pid}`;
  try {
    const hash = createHash('sha256');
    const plain = createBrotliDecompress();
    plain.on('data', (part) => hash.update(part));
    await promisify(pipeline)(
      createReadStream(join(folder, 'node.br')),
      plain,
      createWriteStream(mine, { flags: 'wx', mode: 0o600 }),
    );
    if (hash.digest('hex') !== sha256) throw new Error('the packed Node is damaged');
    chmodSync(mine, 0o700);
    renameSync(mine, node);
  } finally {
    rmSync(mine, { force: true });
  }
  for (const other of readdirSync(cache)) {
    // Of earlier versions; one that still runs keeps its file.
    if (other.startsWith('node-') && other !== name)
      rmSync(join(cache, other), { recursive: true, force: true });
  }
  return node;
}

/** What another user could have put there is not started. */
function isOurs(path, size) {
  try {
    const { uid, mode, size: found } = statSync(path);
    return found === size && uid === process.getuid() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
