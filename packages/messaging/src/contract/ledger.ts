import type { Message } from "../message/message.ts";
import type { NewMessage } from "../send/new-message.ts";
import type { MessagingMethods } from "../messaging.ts";
import { DeadLedger } from "./dead-ledger.ts";
import { fast } from "./poison.ts";
import { quietly, until } from "./until.ts";

/** A process that sends, or subscribes. */
interface Process {
  readonly app: MessagingMethods;
}

/** How messages are sent. */
export interface LedgerOptions {
  /** Keys, each with numbers from 0. @default 8 */
  readonly keys?: number;
  /** Keys of one send. @default 1 */
  readonly together?: number;
  /** Numbers of each key in one send. @default 1 */
  readonly run?: number;
  /** Whether every fiftieth message fails at its first try, and some always. @default false */
  readonly fails?: boolean;
}

/** Of so many messages of a key one fails at its first try. */
const FAILS_EVERY = 50;
/** Poison messages that each key, or keys that are sent together, have among the others. */
const POISON = 10;

/** Pause before what was not confirmed is sent again. */
const PAUSE_MS = 20;
/** Time after which a send that was never confirmed fails the test. */
const LONGEST_MS = 240_000;

/** What was sent, and what handlers saw: to show that nothing is lost, and that the order of each key is kept. */
export class Ledger {
  /** Deliveries to handlers, repeated ones included. */
  handled = 0;
  /** Sends that failed and were made again. */
  sentAgain = 0;
  /** Handlers that began a message of a key which another handler had not left. */
  overlaps = 0;
  /** Poison messages, and the dead letters that they became. */
  readonly dead: DeadLedger = new DeadLedger();
  private readonly options: Required<LedgerOptions>;
  private readonly each: number;
  private readonly running = new Set<string>();
  private readonly seen = new Map<string, number[]>();

  constructor(messages: number, options: LedgerOptions = {}) {
    this.options = { keys: 8, together: 1, run: 1, fails: false, ...options };
    this.each = Math.ceil(messages / this.options.keys);
  }

  /** Messages that `send` sends, poison aside. */
  get total(): number {
    return this.options.keys * this.each;
  }

  /** Different messages that handlers saw. */
  get count(): number {
    return Array.from(this.seen.values()).reduce((sum, numbers) => sum + numbers.length, 0);
  }

  /** The handler of the processes: notes key and number of a message. */
  readonly handle = (message: Message): void => {
    this.handled++;
    if (message.type === "poison") throw new TypeError(`poison ${message.id}`);
    const { number } = message.data as { readonly number: number };
    if (this.options.fails && number % FAILS_EVERY === 7 && message.attempt === 1)
      throw new Error("the first try fails");
    const key = message.key ?? "";
    const numbers = this.seen.get(key) ?? [];
    this.seen.set(key, numbers);
    if (!numbers.includes(number, -2000)) numbers.push(number);
  };

  /** A handler that takes its time, and counts overlaps; it notes the message at its end. */
  readonly handleAfter = async (message: Message, work: () => Promise<void>): Promise<void> => {
    const key = message.key ?? "";
    if (this.running.has(key)) this.overlaps++;
    this.running.add(key);
    try {
      await work();
      this.handle(message);
    } finally {
      this.running.delete(key);
    }
  };

  /** Subscribes a process to the topic, in order by key, and to its dead letters. */
  subscribe(
    { app }: Process,
    topic: string,
    { group, work }: { readonly group: string; readonly work?: () => Promise<void> },
  ): void {
    const deadLetter = deadTopicOf(topic);
    const handle = work === undefined ? this.handle : (one: Message) => this.handleAfter(one, work);
    app.messaging.subscribe(topic, { group, order: "key", retry: fast, deadLetter }, handle as () => void);
    app.messaging.subscribe(deadLetter, { group: `${group}-dead` }, this.dead.handle as () => void);
  }

  /** Sends everything, each key in order, and what was not confirmed again with the same id. */
  async send(from: Process, topic: string): Promise<void> {
    const { keys, together } = this.options;
    const lanes = Math.ceil(keys / together);
    await Promise.all(Array.from({ length: lanes }, (_, lane) => this.sendLane(from, topic, lane)));
  }

  /** The numbers that every key must have seen. */
  get expected(): readonly (readonly number[])[] {
    return Array.from({ length: this.options.keys }, () => Array.from({ length: this.each }, (_, n) => n));
  }

  /** The keys. */
  get keys(): readonly string[] {
    return Array.from({ length: this.options.keys }, (_, at) => keyOf(at));
  }

  /** The ids of `expected`, key by key. */
  get ids(): readonly string[] {
    return this.expected.flatMap((numbers, at) => numbers.map((number) => `${keyOf(at)}-${number}`));
  }

  /** Waits until everything was handled, and returns the numbers of each key in the order in which they were first seen. */
  async sequences(): Promise<readonly (readonly number[])[]> {
    const timeoutMs = 110_000 + this.total * 20;
    await until(`${this.total} messages`, () => this.count >= this.total, timeoutMs);
    await until("the dead letters", () => this.dead.missing.length === 0, timeoutMs);
    return Array.from(this.seen.values());
  }

  private async sendLane(from: Process, topic: string, lane: number): Promise<void> {
    const { run } = this.options;
    for (let first = 0; first < this.each; first += run) {
      const messages = this.block(lane, first);
      const end = performance.now() + LONGEST_MS;
      for (let error; (error = await sent(from, topic, messages)) !== null; await quietly(PAUSE_MS)) {
        if (performance.now() > end) throw new Error("a send was never confirmed", { cause: error });
        this.sentAgain++;
      }
    }
  }

  /** The messages of one send. */
  private block(lane: number, first: number): readonly NewMessage<unknown>[] {
    const { keys, together, run, fails } = this.options;
    const end = Math.min(first + run, this.each);
    const numbers = Array.from({ length: end - first }, (_, at) => first + at);
    const own = Array.from({ length: Math.min(together, keys - lane * together) }, (_, at) => at);
    const time = new Date(); // what is sent again is the same message
    const messages = numbers.flatMap((number) =>
      own.map((at) => {
        const key = keyOf(lane * together + at);
        return { id: `${key}-${number}`, type: "numbered", key, time, data: { number } };
      }),
    );
    const every = Math.max(1, Math.floor(this.each / POISON / run)) * run;
    return fails && first % every === 0
      ? [this.dead.poison(keyOf(lane * together), first), ...messages]
      : messages;
  }
}

const keyOf = (at: number): string => `key-${at}`;

/** The topic of the dead letters of a ledger. */
export const deadTopicOf = (topic: string): string => `${topic}-dead`;

/** Sends; returns the error, or `null` when all was confirmed. */
const sent = ({ app }: Process, topic: string, messages: readonly NewMessage<unknown>[]): Promise<unknown> =>
  app.messaging.sendAll(topic, messages).then(
    () => null,
    (error: unknown) => error,
  );
