import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { type Context, ROOT_CONTEXT } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import type { RunInContext } from "./tracing.ts";

/** The context manager of the process, with a cheaper way into the context of a request from a socket. */
export class RequestContexts extends AsyncLocalStorageContextManager {
  private readonly storage: AsyncLocalStorage<Context> = new AsyncLocalStorage();

  override active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  override with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run(context, self === undefined ? work : work.bind(self), ...args);
  }

  override enable(): this {
    return this;
  }

  override disable(): this {
    this.storage.disable();
    return this;
  }

  /**
   * Returns a function that runs the work of a request from a socket in a context.
   *
   * Around all of them the same is stored: what the first one finds. `run` would build that state anew after each request, which takes 210 ns instead of 43
   * (Node 26).
   */
  ofRequests(): RunInContext {
    let sockets: AsyncResource | null = null;
    return (context, work, input) => {
      sockets ??= new AsyncResource("framework.request", { requireManualDestroy: true });
      return sockets.runInAsyncScope(
        enter<typeof input, ReturnType<typeof work>>,
        undefined,
        this.storage,
        context,
        work,
        input,
      );
    };
  }
}

const enter = <In, Out>(
  storage: AsyncLocalStorage<Context>,
  context: Context,
  work: (input: In) => Out,
  input: In,
): Out => {
  storage.enterWith(context);
  return work(input);
};
