import type { Message } from "../../message/message.ts";
import type { NewMessage } from "../../send/new-message.ts";

/** Tries of the policy that a recorder subscribes with. */
const TRIES = "5";

/** Records poison messages and their dead letters. */
export class DeadLetterRecorder {
  private readonly sent = new Set<string>();
  private readonly deadLetters = new Map<string, Message>();

  /** Creates a message that fails at each try, with a key that other messages have. */
  poison(key: string, number: number): NewMessage<unknown> {
    const id = `poison-${key}-${number}`;
    this.sent.add(id);
    return { id, type: "poison", key, data: dataOf(id), headers: { "x-shelf": `of ${id}` } };
  }

  /** Handler of dead letters. */
  readonly handle = (message: Message): void => void this.deadLetters.set(message.id, message);

  /** Number of dead letters so far. */
  get count(): number {
    return this.deadLetters.size;
  }

  /** Ids of poison messages without a dead letter. */
  get missing(): readonly string[] {
    return Array.from(this.sent).filter((id) => !this.deadLetters.has(id));
  }

  /** Ids of dead letters that do not match a poison message in data, headers, cause and number of tries. */
  get mismatches(): readonly string[] {
    return Array.from(this.deadLetters.values())
      .filter((message) => !this.matches(message))
      .map(({ id }) => id);
  }

  private matches({ id, data, headers }: Message): boolean {
    return (
      this.sent.has(id) &&
      JSON.stringify(data) === JSON.stringify(dataOf(id)) &&
      headers["x-shelf"] === `of ${id}` &&
      headers["framework-dead-error"] === "TypeError" &&
      headers["framework-dead-message"] === `poison ${id}` &&
      headers["framework-dead-tries"] === TRIES
    );
  }
}

const dataOf = (id: string): object => ({ of: id, bytes: "ä€𝄞 \u0000" });
