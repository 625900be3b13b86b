import type { Invocation } from "@framework/core";
import type { Caller } from "./caller.ts";

const noParams: Readonly<Record<string, unknown>> = Object.freeze({});

/** An operation as an invocation. Members of its request are read on access, because few operations use them. */
export class OperationInvocation implements Invocation {
  readonly kind = "graphql";
  /** `query`, `mutation` or `subscription`. */
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>> = noParams;
  private readonly caller: Caller;

  constructor(name: string, caller: Caller) {
    this.name = name;
    this.caller = caller;
  }

  get headers(): Invocation["headers"] {
    return this.caller.request.headers;
  }

  get context(): Invocation["context"] {
    return this.caller.request.context;
  }

  get signal(): AbortSignal {
    return this.caller.signal;
  }
}
