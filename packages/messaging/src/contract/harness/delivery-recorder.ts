import type { Message } from "../../message/message.ts";
import type { NewMessage } from "../../send/new-message.ts";
import type { MessagingMethods } from "../../messaging.ts";
import { DeadLetterRecorder } from "./dead-letter-recorder.ts";
import { fast } from "./poison-messages.ts";
import { shortPause, until } from "./until.ts";

/** A process that sends or subscribes. */
interface Process {
  readonly app: MessagingMethods;
}

/** Options of the messages that are sent. */
export interface DeliveryRecorderOptions {
  /** Number of keys, each with numbers from 0. @default 8 */
  readonly keys?: number;
  /** Number of keys in one send. @default 1 */
  readonly together?: number;
  /** Messages of each key in one send. @default 1 */
  readonly run?: number;
  /** Whether every fiftieth message fails on its first attempt, and poison messages, which always fail, are added. @default false */
  readonly fails?: boolean;
}

/** One in this many messages of a key fails on its first attempt. */
const FAILS_EVERY = 50;
/** Approximate number of poison messages for each group of keys that are sent together. */
const POISON = 10;

/** Pause in milliseconds before unconfirmed messages are sent again. */
const RESEND_PAUSE_MS = 20;
/** Time in milliseconds after which an unconfirmed send fails the test. */
const SEND_TIMEOUT_MS = 240_000;

/** Sends numbered messages and records the handled ones, to show that nothing is lost and each key keeps its order. */
export class DeliveryRecorder {
  /** Handler calls, including repeated deliveries. */
  handled = 0;
  /** Failed sends that were repeated. */
  resends = 0;
  /** Handler calls that began while another message of the same key was being handled. */
  overlaps = 0;
  /** Poison messages and their dead letters. */
  readonly dead: DeadLetterRecorder = new DeadLetterRecorder();
  private readonly options: Required<DeliveryRecorderOptions>;
  private readonly messagesPerKey: number;
  private readonly running = new Set<string>();
  private readonly seen = new Map<string, number[]>();

  constructor(messages: number, options: DeliveryRecorderOptions = {}) {
    this.options = { keys: 8, together: 1, run: 1, fails: false, ...options };
    this.messagesPerKey = Math.ceil(messages / this.options.keys);
  }

  /** Number of messages that `send` sends, without poison messages. */
  get total(): number {
    return this.options.keys * this.messagesPerKey;
  }

  /** Number of distinct messages that were handled. */
  get count(): number {
    return Array.from(this.seen.values()).reduce((sum, numbers) => sum + numbers.length, 0);
  }

  /** Handler of the processes: records key and number of a message. */
  readonly handle = (message: Message): void => {
    this.handled++;
    if (message.type === "poison") throw new TypeError(`poison ${message.id}`);
    const { number } = message.data as { readonly number: number };
    if (this.options.fails && number % FAILS_EVERY === 7 && message.attempt === 1)
      throw new Error("the first attempt fails");
    const key = message.key ?? "";
    const numbers = this.seen.get(key) ?? [];
    this.seen.set(key, numbers);
    if (!numbers.includes(number, -2000)) numbers.push(number);
  };

  /** Handler that counts overlaps, runs `work`, and then records the message. */
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

  /** Sends all messages, each key in order, and sends unconfirmed messages again with the same id. Each lane is a group of keys that are sent together. */
  async send(from: Process, topic: string): Promise<void> {
    const { keys, together } = this.options;
    const lanes = Math.ceil(keys / together);
    await Promise.all(Array.from({ length: lanes }, (_, lane) => this.sendLane(from, topic, lane)));
  }

  /** Expected result of `sequences`: the numbers of each key in order. */
  get expected(): readonly (readonly number[])[] {
    return Array.from({ length: this.options.keys }, () =>
      Array.from({ length: this.messagesPerKey }, (_, n) => n),
    );
  }

  /** The keys. */
  get keys(): readonly string[] {
    return Array.from({ length: this.options.keys }, (_, at) => keyOf(at));
  }

  /** The ids of `expected`, key by key. */
  get ids(): readonly string[] {
    return this.expected.flatMap((numbers, at) => numbers.map((number) => `${keyOf(at)}-${number}`));
  }

  /** Waits until all messages are handled and all dead letters have arrived. Resolves with the numbers of each key in the order of first handling. */
  async sequences(): Promise<readonly (readonly number[])[]> {
    const timeoutMs = 110_000 + this.total * 20;
    await until(`${this.total} messages`, () => this.count >= this.total, timeoutMs);
    await until("the dead letters", () => this.dead.missing.length === 0, timeoutMs);
    return Array.from(this.seen.values());
  }

  private async sendLane(from: Process, topic: string, lane: number): Promise<void> {
    const { run } = this.options;
    for (let first = 0; first < this.messagesPerKey; first += run) {
      const messages = this.messagesOf(lane, first);
      const end = performance.now() + SEND_TIMEOUT_MS;
      for (
        let error;
        (error = await trySend(from, topic, messages)) !== null;
        await shortPause(RESEND_PAUSE_MS)
      ) {
        if (performance.now() > end) throw new Error("a send was never confirmed", { cause: error });
        this.resends++;
      }
    }
  }

  /** The messages of one send. */
  private messagesOf(lane: number, first: number): readonly NewMessage<unknown>[] {
    const { keys, together, run, fails } = this.options;
    const end = Math.min(first + run, this.messagesPerKey);
    const numbers = Array.from({ length: end - first }, (_, at) => first + at);
    const own = Array.from({ length: Math.min(together, keys - lane * together) }, (_, at) => at);
    const time = new Date(); // a repeated send has the same time
    const messages = numbers.flatMap((number) =>
      own.map((at) => {
        const key = keyOf(lane * together + at);
        return { id: `${key}-${number}`, type: "numbered", key, time, data: { number } };
      }),
    );
    const every = Math.max(1, Math.floor(this.messagesPerKey / POISON / run)) * run;
    return fails && first % every === 0
      ? [this.dead.poison(keyOf(lane * together), first), ...messages]
      : messages;
  }
}

const keyOf = (at: number): string => `key-${at}`;

/** Returns the dead-letter topic of a recorder's topic. */
export const deadTopicOf = (topic: string): string => `${topic}-dead`;

/** Sends messages. Resolves with the error, or `null` when all were confirmed. */
const trySend = (
  { app }: Process,
  topic: string,
  messages: readonly NewMessage<unknown>[],
): Promise<unknown> =>
  app.messaging.sendAll(topic, messages).then(
    () => null,
    (error: unknown) => error,
  );
