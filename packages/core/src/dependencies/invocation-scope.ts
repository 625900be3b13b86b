import { type Awaitable, isPromise, mapAwaitable, toPromise } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import type { Container } from "./container.ts";
import { type DependsScope, runWith } from "./depends.ts";
import { Lifetime } from "./lifetime.ts";
import type { InjectedValues, Injections, Token } from "./token.ts";

/** The dependency scope of one invocation: it creates each value of scope `invocation` once and disposes of it at the end. */
export interface OpenScope {
  /** The invocation that the scope belongs to. */
  readonly invocation: Invocation;
  /**
   * Resolves injections and calls `work` with them, `Depends` enabled until its first `await`; synchronous if the factories and `work` are. The values
   * live until the returned promise has settled. May be called repeatedly, until `dispose`.
   */
  call<I extends Injections | undefined, T>(
    inject: I,
    work: (dependencies: InjectedValues<I>) => Awaitable<T>,
  ): Awaitable<T>;
  /** Keeps the values alive until `work` has settled, even if the invocation ends earlier: a handler may outlive its client. */
  during(work: unknown): void;
  /** Closes the scope and disposes of its values once nothing uses them; synchronous if nothing uses them and none needs disposal. Never rejects. */
  dispose(): Awaitable<void>;
}

/** A scope with the members that the container and `Depends` use. */
export class InvocationScope extends Lifetime implements OpenScope, DependsScope {
  readonly invocation: Invocation;
  readonly container: Container;
  private users = 0;
  private idle: PromiseWithResolvers<void> | undefined;
  private creations = 0;
  private created: PromiseWithResolvers<void> | undefined;

  constructor(container: Container, invocation: Invocation) {
    super(container);
    this.container = container;
    this.invocation = invocation;
  }

  /** The scope itself, for `Depends`. */
  get scope(): this {
    return this;
  }

  call<I extends Injections | undefined, T>(
    inject: I,
    work: (dependencies: InjectedValues<I>) => Awaitable<T>,
  ): Awaitable<T> {
    const callWork = (_scope: this, dependencies: InjectedValues<I>): Awaitable<T> => work(dependencies);
    const output =
      inject === undefined
        ? runWith(this, callWork, undefined as unknown as InjectedValues<I>)
        : mapAwaitable(this.container.resolveAll(inject, this), (settled) =>
            runWith(this, callWork, settled),
          );
    if (!isPromise(output)) return output;
    const promise = toPromise(output);
    this.during(promise);
    return promise;
  }

  resolveNow(dependency: Token<unknown> | string): unknown {
    return this.container.resolveNow(dependency, this);
  }

  during(work: unknown): void {
    if (!isPromise(work)) return;
    this.users++;
    const release = (): void => {
      if (--this.users === 0) this.idle?.resolve();
    };
    work.then(release, release);
  }

  dispose(): Awaitable<void> {
    this.close();
    if (this.creations > 0) this.container.track((this.created ??= Promise.withResolvers<void>()).promise);
    if (this.needsNoDisposal && this.users === 0) return this.container.forget(this);
    const ending = this.endIdle();
    this.container.track(ending);
    return ending;
  }

  /** Disposes of the scope once no call runs in it; until then it accepts values. Never rejects. */
  async disposeIdle(): Promise<void> {
    await this.untilIdle();
    await this.dispose();
  }

  /** A value that arrives after the end is disposed of at once; the app's singletons, which it may use, must live until then. */
  protected override watchCreation(creation: Promise<unknown>): void {
    this.creations++;
    const settle = (): void => {
      if (--this.creations === 0) this.created?.resolve();
    };
    creation.then(settle, settle);
  }

  private async endIdle(): Promise<void> {
    await this.untilIdle();
    await this.end();
    this.container.forget(this);
  }

  private async untilIdle(): Promise<void> {
    if (this.users > 0) await (this.idle ??= Promise.withResolvers<void>()).promise;
  }
}
