import type { Message } from "../message/message.ts";
import type { MessagingMethods } from "../messaging.ts";
import { until } from "./until.ts";

/** A process that sends. */
interface Sending {
  readonly app: MessagingMethods;
}

/** What was sent, and what handlers saw: to show that nothing is lost, and that the order of each key is kept. */
export class Ledger {
  /** Deliveries to handlers, repeated ones included. */
  handled = 0;
  /** Sends that failed and were made again. */
  sentAgain = 0;
  private readonly keys: number;
  private readonly each: number;
  private readonly seen = new Map<string, number[]>();

  constructor(messages: number, keys = 8) {
    this.keys = keys;
    this.each = Math.ceil(messages / keys);
  }

  /** Messages that `send` sends. */
  get total(): number {
    return this.keys * this.each;
  }

  /** Different messages that handlers saw. */
  get count(): number {
    return Array.from(this.seen.values()).reduce((sum, numbers) => sum + numbers.length, 0);
  }

  /** The handler of the processes: notes key and number of a message. */
  readonly handle = ({ key, data }: Message): void => {
    this.handled++;
    const numbers = this.seen.get(key ?? "") ?? [];
    this.seen.set(key ?? "", numbers);
    const { number } = data as { readonly number: number };
    if (!numbers.includes(number, -200)) numbers.push(number);
  };

  /** Sends everything, each key in order, and what was not confirmed again with the same id. */
  async send(from: Sending, topic: string): Promise<void> {
    const lane = async (key: string): Promise<void> => {
      for (let number = 0; number < this.each; number++)
        while (!(await this.sendOne(from, topic, { key, number }))) this.sentAgain++;
    };
    await Promise.all(Array.from({ length: this.keys }, (_, n) => lane(`key-${n}`)));
  }

  /** The numbers that every key must have seen. */
  get expected(): readonly (readonly number[])[] {
    return Array.from({ length: this.keys }, () => Array.from({ length: this.each }, (_, n) => n));
  }

  /** Waits until everything was handled, and returns the numbers of each key in the order in which they were first seen. */
  async sequences(): Promise<readonly (readonly number[])[]> {
    const timeoutMs = 110_000 + this.total * 20;
    await until(`${this.total} messages`, () => this.count >= this.total, timeoutMs);
    return Array.from(this.seen.values());
  }

  private async sendOne(
    { app }: Sending,
    topic: string,
    { key, number }: { readonly key: string; readonly number: number },
  ): Promise<boolean> {
    const message = { id: `${key}-${number}`, type: "numbered", key, data: { number } };
    return await app.messaging.send(topic, message).then(
      () => true,
      () => false,
    );
  }
}
