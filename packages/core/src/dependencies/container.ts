// More than 250 lines, because registration, checks and creation of dependencies share their definitions.
import type { Problem } from "../errors/configuration-error.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import { timesOut } from "../lifecycle/deadline.ts";
import type { Logger } from "../log/logger.ts";
import { markHandled } from "../middleware/mark-handled.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import { type Definition, providedDefinition, tokenDefinition, valueDefinition } from "./definition.ts";
import {
  definitionProblems,
  type InjectionPlace,
  isDependency,
  isProblem,
  nameOf,
  placeProblems,
} from "./dependency-graph.ts";
import { asynchronous, badDependency, duplicate, missing, twoTokens } from "./dependency-problems.ts";
import { runWithout } from "./depends.ts";
import { type DisposalLimits, endScopes, MAX_DISPOSAL_MS } from "./end-scopes.ts";
import { Lifetime } from "./lifetime.ts";
import { InvocationScope } from "./invocation-scope.ts";
import { Overrides } from "./overrides.ts";
import { MAX_OPEN_SCOPES, requestHasScope, tooManyScopes } from "./scope-errors.ts";
import type { InjectedValues, Injections, Provider, Token } from "./token.ts";

/** Undoes an override, when called or at the end of a `using` block. */
export type UndoOverride = Disposable & (() => void);

/** The dependencies of one app: definitions by name, and the singletons. */
export class Container {
  /** Receives failures of `dispose`. */
  log: Pick<Logger, "error"> = console;
  private readonly definitions: Map<string, Definition> = new Map();
  private readonly overrides: Overrides = new Overrides();
  private readonly asynchronous: WeakSet<Definition> = new WeakSet();
  private readonly pendingDisposals: Set<Promise<void>> = new Set();
  private readonly openScopes: Set<InvocationScope> = new Set();
  private readonly singletons: Lifetime = new Lifetime(this);
  /** Singletons created from overridden values; disposed of with the override. */
  private substitutes: Lifetime = new Lifetime(this);
  private checked: WeakSet<Definition> = new WeakSet();

  /** Registers a value, which the container never disposes of. Returns the problem when the name is taken. */
  register(dependency: Token<unknown> | string, value: unknown): Problem | null {
    return this.define(valueDefinition(dependency, value));
  }

  /** Registers a dependency that is created on demand, in the token's scope. Returns the problem when the name is taken. */
  provide<T>(token: Token<T>, provider: Provider<T>): Problem | null {
    return this.define(providedDefinition(token, provider));
  }

  /** Names in definition order; a token with its own factory appears after its first use. */
  names(): string[] {
    return [...this.definitions.keys()];
  }

  /**
   * Returns every mistake in the injections of these places: missing names, cycles, singletons that need an invocation, conflicting tokens, and values that are
   * not dependencies.
   */
  check(places: Iterable<InjectionPlace>): Problem[] {
    return placeProblems(places, (dependency) => this.lookup(dependency));
  }

  /** Creates a scope for an invocation whose owner ends it, such as a request. It costs one small object before the first value. */
  scope(invocation: Invocation): InvocationScope {
    return new InvocationScope(this, invocation);
  }

  /**
   * Creates a scope; `dispose` of the container waits for the work that runs in it.
   *
   * @throws CORE_TOO_MANY_INVOCATIONS when 100,000 are open, a sign of missing disposal; CORE_BAD_INVOCATION for a request, which has its own
   */
  open(invocation: Invocation): InvocationScope {
    if (invocation.kind === "http") throw requestHasScope();
    if (this.openScopes.size >= MAX_OPEN_SCOPES) throw tooManyScopes();
    const scope = this.scope(invocation);
    this.openScopes.add(scope);
    return scope;
  }

  /** Removes a scope that has ended. */
  forget(scope: InvocationScope): void {
    this.openScopes.delete(scope);
  }

  /**
   * Returns the value of a dependency, synchronously unless it must wait for an asynchronous factory.
   *
   * @throws CORE_DEPENDENCY_MISSING, CORE_DEPENDENCY_DUPLICATE, CORE_DEPENDENCY_CYCLE, CORE_DEPENDENCY_SCOPE or CORE_BAD_ARGUMENT for mistakes that `check` also
   * reports; CORE_DEPENDENCY_SCOPE for a dependency of an invocation without `scope`; CORE_DEPENDENCY_TOO_LATE after disposal; the errors of factories
   */
  resolve<T>(dependency: Token<T> | string, scope?: InvocationScope): Awaitable<T> {
    const definition = this.find(dependency);
    return this.valueOf(definition, scope ?? this.singletons) as Awaitable<T>; // created by the token's own factory or its registration
  }

  /** Returns the values of injections by name, as `resolve` does. */
  resolveAll<I extends Injections>(inject: I, scope?: InvocationScope): Awaitable<InjectedValues<I>> {
    return this.valuesOf(inject, scope ?? this.singletons) as Awaitable<InjectedValues<I>>;
  }

  /** Returns the value of a synchronous dependency. @throws CORE_DEPENDS_ASYNC, and everything `resolve` throws */
  resolveNow(dependency: Token<unknown> | string, scope: InvocationScope): unknown {
    const definition = this.find(dependency);
    if (this.asynchronous.has(definition) && !this.isReplaced(definition))
      throw asynchronous(definition.name);
    const value = this.valueOf(definition, scope);
    if (!isPromise(value)) return value;
    value.then(undefined, () => {}); // its rejection must not also be reported as unhandled
    throw asynchronous(definition.name);
  }

  /**
   * Replaces a dependency by a value, for tests, until the returned function is called or disposed of; the latest of several overrides wins.
   *
   * Singletons that depend on it are created again from the override; the original ones return afterwards. The value is not disposed of.
   *
   * @throws CORE_BAD_ARGUMENT for a value that is neither a token nor a name
   */
  override<T>(dependency: Token<T> | string, value: T): UndoOverride {
    if (!isDependency(dependency)) throw badDependency("override", dependency);
    const definition = valueDefinition(nameOf(dependency), value);
    const remove = this.overrides.add(definition);
    this.forgetSubstitutes();
    const undo = (): void => {
      if (remove()) this.forgetSubstitutes();
    };
    return Object.assign(undo, { [Symbol.dispose]: undo });
  }

  /**
   * Disposes of the values of open invocations once nothing uses them, then of the singletons in reverse order of creation. Never rejects. Resolves to whether
   * all ended in time, and logs a timeout.
   */
  async dispose({ singletonsMs = MAX_DISPOSAL_MS, ...limits }: DisposalLimits = {}): Promise<boolean> {
    const haveCallsTimedOut = !(await endScopes(Array.from(this.openScopes), this.pendingDisposals, limits));
    if (haveCallsTimedOut)
      this.log.error("calls that use dependencies had not ended when the app disposed of them");
    const hasDisposalTimedOut = await timesOut(this.endSingletons(), singletonsMs);
    if (hasDisposalTimedOut)
      this.log.error(`dependencies were not disposed of within ${singletonsMs / 1000} s`);
    return !haveCallsTimedOut && !hasDisposalTimedOut;
  }

  /** Makes `dispose` wait for another disposal. */
  track(ending: Promise<void>): void {
    this.pendingDisposals.add(ending);
    void ending.then(() => this.pendingDisposals.delete(ending));
  }

  private async endSingletons(): Promise<void> {
    await this.substitutes.end();
    await this.singletons.end();
  }

  private define(definition: Definition): Problem | null {
    const { name } = definition;
    if (this.definitions.has(name)) return duplicate(name);
    this.definitions.set(name, definition);
    return null;
  }

  private lookup(dependency: Token<unknown> | string): Definition | Problem {
    const name = nameOf(dependency);
    const known = this.overrides.latest(name) ?? this.definitions.get(name);
    const ownFactory = typeof dependency === "string" || dependency.create === undefined ? null : dependency;
    if (known === undefined)
      return ownFactory === null ? missing(name, this.names()) : this.adopt(ownFactory);
    const isConflicting = ownFactory !== null && known.token !== undefined && known.token !== ownFactory;
    return isConflicting ? twoTokens(name) : known;
  }

  private adopt(token: Token<unknown>): Definition {
    const definition = tokenDefinition(token);
    this.definitions.set(token.name, definition);
    return definition;
  }

  /** Returns the definition of a dependency after checking its graph. */
  private find(dependency: Token<unknown> | string): Definition {
    const found = this.lookup(dependency);
    if (isProblem(found)) throw toError(found);
    if (this.checked.has(found)) return found;
    const [problem] = definitionProblems(found, (needed) => this.lookup(needed));
    if (problem !== undefined) throw toError(problem);
    this.checked.add(found);
    return found;
  }

  private valueOf(definition: Definition, owner: Lifetime): Awaitable<unknown> {
    if (definition.create === undefined) return definition.value;
    if (definition.scope === "transient") {
      return owner.create(definition, () => this.make(definition, owner));
    }
    const lifetime =
      definition.scope === "invocation"
        ? invocationScope(definition, owner)
        : this.singletonLifetime(definition);
    return lifetime.once(definition, () => this.make(definition, lifetime));
  }

  private valuesOf(inject: Injections, owner: Lifetime): Awaitable<Readonly<Record<string, unknown>>> {
    const values: Record<string, unknown> = {};
    let waiting: Promise<void>[] | undefined;
    try {
      for (const [name, dependency] of Object.entries(inject)) {
        const value = this.valueOf(this.find(dependency), owner);
        values[name] = value; // stored even while pending, to keep the order of the names
        if (isPromise(value)) (waiting ??= []).push(value.then((settled) => void (values[name] = settled)));
      }
    } catch (error) {
      return abandon(waiting ?? [], owner, error);
    }
    if (waiting === undefined) return values;
    const all = waiting;
    return Promise.all(all).then(
      () => values,
      (error: unknown) => abandon(all, owner, error),
    );
  }

  private make(definition: Definition, owner: Lifetime): Awaitable<unknown> {
    const invocation = owner instanceof InvocationScope ? owner.invocation : undefined;
    const created = mapAwaitable(this.valuesOf(definition.inject, owner), (dependencies) =>
      runWithout(() => definition.create?.(dependencies, invocation)),
    );
    if (isPromise(created)) this.asynchronous.add(definition);
    return created;
  }

  /** Returns the lifetime that holds a singleton. */
  private singletonLifetime(definition: Definition): Lifetime {
    return this.isReplaced(definition) ? this.substitutes : this.singletons;
  }

  /** Whether a definition is created from overridden values. */
  private isReplaced(definition: Definition): boolean {
    return !this.overrides.isEmpty && this.isOverridden(definition);
  }

  /** Whether a definition depends on an overridden one. */
  private isOverridden(definition: Definition): boolean {
    return Object.values(definition.inject).some((dependency) => {
      if (this.overrides.has(nameOf(dependency))) return true;
      const found = this.lookup(dependency);
      return !isProblem(found) && this.isOverridden(found);
    });
  }

  private forgetSubstitutes(): void {
    this.track(this.substitutes.end());
    this.substitutes = new Lifetime(this);
    this.checked = new WeakSet();
  }
}

/** Throws the error of a dependency. The end of the scope waits for the others that are being created, and for their disposal. */
const abandon = (waiting: readonly Promise<void>[], owner: Lifetime, error: unknown): never => {
  for (const each of waiting) {
    if (owner instanceof InvocationScope) owner.during(each);
    else void markHandled(each); // this error is reported; a second one must not become an unhandled rejection
  }
  throw error;
};

const invocationScope = ({ name }: Definition, owner: Lifetime): InvocationScope => {
  if (owner instanceof InvocationScope) return owner;
  throw new FrameworkError(
    "CORE_DEPENDENCY_SCOPE",
    `"${name}" has the scope invocation; no invocation is running here`,
  );
};

const toError = ({ code, message }: Problem): FrameworkError => new FrameworkError(code, message);
