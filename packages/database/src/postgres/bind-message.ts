/** Execute without a row limit, then Sync (PostgreSQL manual, 54.7). */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

const BIND = 0x42;
const NULL_LENGTH = -1;

/** Size of the fixed parts: code, length, two terminators, three counts. */
const FRAME = 1 + 4 + 2 + 2 + 2 + 2;

/**
 * Returns the messages that run a prepared statement in one buffer: Bind, with parameters and results in text format, Execute and Sync.
 *
 * @param name of the statement, in ASCII
 * @param values in text format, at most 65,535; `null` for NULL
 */
export const runPrepared = (name: string, values: readonly (string | null)[]): Buffer => {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  const bindLength = lengths.reduce((sum, length) => sum + 4 + length, FRAME + name.length);
  const bytes = Buffer.allocUnsafe(bindLength + executeAndSync.length);
  bytes[0] = BIND;
  bytes.writeInt32BE(bindLength - 1, 1);
  bytes[5] = 0; // the portal has no name
  let at = 6 + bytes.write(name, 6, "latin1");
  bytes[at++] = 0;
  at = bytes.writeInt16BE(0, at); // all parameters are text
  at = bytes.writeUInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(value === null ? NULL_LENGTH : (lengths[index] as number), at);
    if (value !== null) at += bytes.write(value, at);
  }
  at = bytes.writeInt16BE(0, at); // all results are text
  executeAndSync.copy(bytes, at);
  return bytes;
};
