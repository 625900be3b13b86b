// node sqs-emulator.ts PORT [FOLDER]: an emulator of Amazon SQS, which stores its queues in the folder, if given.
// Corrects the emulator where it differs from the documentation of Amazon.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { startFauxqs } from "fauxqs";

interface Waiter {
  readonly timer: NodeJS.Timeout;
}

interface Queue {
  pollWaiters: Waiter[];
  waitForMessages(seconds: number): Promise<void>;
}

interface Persistence {
  readonly db: {
    exec(statement: string): void;
    prepare(statement: string): { run(...values: readonly string[]): unknown };
  };
  updateMessageReady(id: string): void;
  prepareStatements(): unknown;
}

const MAKE_VISIBLE =
  "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?";

const internals = async <T>(file: string): Promise<T> =>
  (await import(new URL(file, import.meta.resolve("fauxqs")).href)) as T;

const { SqsQueue } = await internals<{ SqsQueue: { prototype: Queue } }>("sqs/sqsStore.js");
const { INVALID_MESSAGE_BODY_CHAR: invalidCharacter } = await internals<{
  INVALID_MESSAGE_BODY_CHAR: RegExp;
}>("sqs/sqsTypes.js");

// Amazon accepts characters above U+FFFF; the emulator rejects them.
const INVALID = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
invalidCharacter.test = (text) => INVALID.test(text);

// Ends a long poll when its connection closes: otherwise it would take a message that no client receives.
const requests = new AsyncLocalStorage<IncomingMessage>();
subscribe("http.server.request.start", (message) =>
  requests.enterWith((message as { readonly request: IncomingMessage }).request),
);
const { waitForMessages } = SqsQueue.prototype;
SqsQueue.prototype.waitForMessages = function waitWhileConnected(seconds) {
  const { socket } = requests.getStore() ?? {};
  const waited = waitForMessages.call(this, seconds);
  const waiter = this.pollWaiters.at(-1);
  const leave = (): void => {
    clearTimeout(waiter?.timer);
    this.pollWaiters = this.pollWaiters.filter((each) => each !== waiter);
  };
  socket?.once("close", leave);
  return waited.finally(() => socket?.off("close", leave));
};

// A message that becomes visible again keeps its receive count on disk; the emulator's own statement sets it to NULL, and fails.
const { PersistenceManager } = await internals<{ PersistenceManager: { prototype: Persistence } }>(
  "persistence.js",
);
PersistenceManager.prototype.updateMessageReady = function makeVisible(id) {
  this.db.prepare(MAKE_VISIBLE).run(id);
};

// No flush to disk: writes survive the end of the process without it, and each message would be flushed about fifteen times.
const { prepareStatements } = PersistenceManager.prototype;
PersistenceManager.prototype.prepareStatements = function prepareWithoutFlushes() {
  this.db.exec("PRAGMA synchronous = OFF");
  return prepareStatements.call(this);
};

const [port = "", folder] = process.argv.slice(2);
await startFauxqs({ port: Number(port), logger: false, ...(folder !== undefined && { dataDir: folder }) });
