import type { Message } from "../message/message.ts";
import type { NewMessage } from "../send/new-message.ts";

/** Tries of the policy that a ledger subscribes with. */
const TRIES = "5";

/** The poison messages of a ledger, and the dead letters that they became. */
export class DeadLedger {
  private readonly sent = new Set<string>();
  private readonly letters = new Map<string, Message>();

  /** A message that fails at each try, with the key of others. */
  poison(key: string, number: number): NewMessage<unknown> {
    const id = `poison-${key}-${number}`;
    this.sent.add(id);
    return { id, type: "poison", key, data: dataOf(id), headers: { "x-shelf": `of ${id}` } };
  }

  /** The handler of dead letters. */
  readonly handle = (letter: Message): void => void this.letters.set(letter.id, letter);

  /** Dead letters so far. */
  get count(): number {
    return this.letters.size;
  }

  /** Poison messages that are no dead letters. */
  get missing(): readonly string[] {
    return Array.from(this.sent).filter((id) => !this.letters.has(id));
  }

  /** Dead letters that are none of a poison message, or do not have its data, headers, cause and number of tries. */
  get wrong(): readonly string[] {
    return Array.from(this.letters.values())
      .filter((letter) => !this.isRight(letter))
      .map(({ id }) => id);
  }

  private isRight({ id, data, headers }: Message): boolean {
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
