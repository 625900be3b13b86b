import { Context, type Invocation, type Metadata } from "@framework/core";
import type { Message } from "../message/message.ts";

const noParams: Readonly<Record<string, unknown>> = Object.freeze(Object.create(null));

/** The invocation of one try. Context and signal are created on first access: most handlers use neither. */
export class MessageInvocation implements Invocation, Metadata {
  readonly kind = "message";
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>> = noParams;
  private readonly message: Message;
  private ownContext: Context | null = null;

  constructor(message: Message) {
    this.name = message.type;
    this.message = message;
  }

  get headers(): Metadata {
    return this;
  }

  get context(): Context {
    return (this.ownContext ??= new Context());
  }

  get signal(): AbortSignal {
    return this.message.signal;
  }

  get(name: string): string | null {
    return this.message.headers[name.toLowerCase()] ?? null;
  }

  getAll(name: string): readonly string[] {
    const value = this.get(name);
    return value === null ? [] : [value];
  }
}
