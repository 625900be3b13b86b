import type { Problem } from "../errors/configuration-error.ts";
import { FrameworkError } from "../errors/framework-error.ts";
import type { Logger } from "../log/logger.ts";
import { type Awaitable, isPromise, mapAwaitable } from "../middleware/middleware.ts";
import type { Invocation } from "../invocation/invocation.ts";
import { type Definition, providedDefinition, tokenDefinition, valueDefinition } from "./definition.ts";
import {
  definitionProblems,
  type InjectionPlace,
  isProblem,
  nameOf,
  placeProblems,
} from "./dependency-graph.ts";
import { asynchronous, duplicate, missing, twoTokens } from "./dependency-problems.ts";
import { runWithout } from "./depends.ts";
import { Lifetime } from "./lifetime.ts";
import { InvocationScope } from "./invocation-scope.ts";
import { Overrides } from "./overrides.ts";
import type { Injected, Injections, Provider, Token } from "./token.ts";

/** Undoes an override: call it, or let `using` do so. */
export type UndoOverride = Disposable & (() => void);

/** The dependencies of one app: what was registered under which name, and the values that live as long as the app. */
export class Container {
  /** Where failures of `dispose` go. */
  log: Pick<Logger, "error"> = console;
  private readonly definitions: Map<string, Definition> = new Map();
  private readonly overrides: Overrides = new Overrides();
  private readonly asynchronous: WeakSet<Definition> = new WeakSet();
  private readonly endings: Set<Promise<void>> = new Set();
  private readonly opened: Set<InvocationScope> = new Set();
  private readonly singletons: Lifetime = new Lifetime(this);
  /** Singletons made from overridden values, which must not outlive the override. */
  private substitutes: Lifetime = new Lifetime(this);
  private sound: WeakSet<Definition> = new WeakSet();

  /** Makes a value available, which stays the program's to end. Gives the problem when the name is taken. */
  register(dependency: Token<unknown> | string, value: unknown): Problem | null {
    return this.define(valueDefinition(dependency, value));
  }

  /** Makes a dependency available that is made on demand, in the token's scope. Gives the problem when the name is taken. */
  provide<T>(token: Token<T>, provider: Provider<T>): Problem | null {
    return this.define(providedDefinition(token, provider));
  }

  /** Names in the order they were defined; a token with a factory of its own is among them once it was asked for. */
  names(): string[] {
    return [...this.definitions.keys()];
  }

  /** Every mistake in what the places inject: missing names, cycles, singletons that need an invocation, tokens at odds over a name. */
  check(places: Iterable<InjectionPlace>): Problem[] {
    return placeProblems(places, (dependency) => this.lookup(dependency));
  }

  /** A scope for an invocation whose end its owner knows, such as a request; what it costs before the first value is one small object. */
  scope(invocation: Invocation): InvocationScope {
    return new InvocationScope(this, invocation);
  }

  /**
   * A scope that `dispose` of the container waits for, as far as work runs in it.
   *
   * @throws CORE_TOO_MANY_INVOCATIONS when 100,000 are open, which then were never disposed of; CORE_BAD_INVOCATION for a request, which has its own
   */
  open(invocation: Invocation): InvocationScope {
    if (invocation.kind === "http") throw ownScope();
    if (this.opened.size >= MAX_OPEN_SCOPES) throw tooMany();
    const scope = this.scope(invocation);
    this.opened.add(scope);
    return scope;
  }

  /** Forgets a scope that has ended. */
  forget(scope: InvocationScope): void {
    this.opened.delete(scope);
  }

  /**
   * The value of a dependency, at once unless an asynchronous factory is involved.
   *
   * @throws CORE_DEPENDENCY_MISSING, CORE_DEPENDENCY_DUPLICATE, CORE_DEPENDENCY_CYCLE, CORE_DEPENDENCY_SCOPE where `check` was not asked or not heard
   */
  resolve<T>(dependency: Token<T> | string, scope?: InvocationScope): Awaitable<T> {
    const definition = this.find(dependency);
    return this.valueOf(definition, scope ?? this.singletons) as Awaitable<T>; // what the token's own factory, or its registration, gave
  }

  /** The values of injections under their names, at once when all are. */
  resolveAll<I extends Injections>(inject: I, scope?: InvocationScope): Awaitable<Injected<I>> {
    return this.valuesOf(inject, scope ?? this.singletons) as Awaitable<Injected<I>>;
  }

  /** The value of a dependency that is made without waiting. @throws CORE_DEPENDS_ASYNC besides what `resolve` throws */
  resolveNow(dependency: Token<unknown> | string, scope: InvocationScope): unknown {
    const definition = this.find(dependency);
    if (this.asynchronous.has(definition)) throw asynchronous(definition.name);
    const value = this.valueOf(definition, scope);
    if (!isPromise(value)) return value;
    value.then(undefined, () => {}); // its failure would be reported besides the error below, which tells what to do
    throw asynchronous(definition.name);
  }

  /**
   * Puts a value in a dependency's place, for tests, until the returned undo is called or disposed of; the latest of several counts.
   *
   * Singletons that were made from the dependency are made anew from the override, and are back afterwards. The value is not disposed of.
   */
  override<T>(dependency: Token<T> | string, value: T): UndoOverride {
    const definition = valueDefinition(nameOf(dependency), value);
    const remove = this.overrides.add(definition);
    this.forgetSubstitutes();
    const undo = (): void => {
      if (remove()) this.forgetSubstitutes();
    };
    return Object.assign(undo, { [Symbol.dispose]: undo });
  }

  /** Ends what invocations still hold, then the singletons in reverse order of creation. Never rejects. */
  async dispose(): Promise<void> {
    await Promise.all(Array.from(this.opened, async (scope) => scope.disposeIdle()));
    await Promise.all(this.endings);
    await this.substitutes.end();
    await this.singletons.end();
  }

  /** Makes `dispose` wait for the end of a scope. */
  track(ending: Promise<void>): void {
    this.endings.add(ending);
    void ending.then(() => this.endings.delete(ending));
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
    const isForeign = ownFactory !== null && known.token !== undefined && known.token !== ownFactory;
    return isForeign ? twoTokens(name) : known;
  }

  private adopt(token: Token<unknown>): Definition {
    const definition = tokenDefinition(token);
    this.definitions.set(token.name, definition);
    return definition;
  }

  /** The definition of a dependency whose graph is known to be sound. */
  private find(dependency: Token<unknown> | string): Definition {
    const found = this.lookup(dependency);
    if (isProblem(found)) throw toError(found);
    if (this.sound.has(found)) return found;
    const [problem] = definitionProblems(found, (needed) => this.lookup(needed));
    if (problem !== undefined) throw toError(problem);
    this.sound.add(found);
    return found;
  }

  private valueOf(definition: Definition, owner: Lifetime): Awaitable<unknown> {
    if (definition.create === undefined) return definition.value;
    if (definition.scope === "transient") {
      return owner.owned(definition, () => this.make(definition, owner));
    }
    const home =
      definition.scope === "invocation" ? invocationScope(definition, owner) : this.homeOf(definition);
    return home.once(definition, () => this.make(definition, home));
  }

  private valuesOf(inject: Injections, owner: Lifetime): Awaitable<Readonly<Record<string, unknown>>> {
    const values: Record<string, unknown> = {};
    let waiting: Promise<void>[] | undefined;
    try {
      for (const [name, dependency] of Object.entries(inject)) {
        const value = this.valueOf(this.find(dependency), owner);
        values[name] = value; // a promise too until it settles: that keeps the order of the names
        if (isPromise(value)) (waiting ??= []).push(value.then((settled) => void (values[name] = settled)));
      }
    } catch (error) {
      void Promise.allSettled(waiting ?? []); // this error is the one to report; a second one must not end the process
      throw error;
    }
    return waiting === undefined ? values : Promise.all(waiting).then(() => values);
  }

  private make(definition: Definition, owner: Lifetime): Awaitable<unknown> {
    const invocation = owner instanceof InvocationScope ? owner.invocation : undefined;
    const made = mapAwaitable(this.valuesOf(definition.inject, owner), (dependencies) =>
      runWithout(() => definition.create?.(dependencies, invocation)),
    );
    if (isPromise(made)) this.asynchronous.add(definition);
    return made;
  }

  /** Where a singleton lives. */
  private homeOf(definition: Definition): Lifetime {
    return this.overrides.isEmpty || !this.isOverridden(definition) ? this.singletons : this.substitutes;
  }

  /** Whether an override is among what a definition is made from. */
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
    this.sound = new WeakSet();
  }
}

/** Scopes that features may have open at once, so that one that never disposes of them is found out. */
export const MAX_OPEN_SCOPES = 100_000;

const tooMany = (): FrameworkError =>
  new FrameworkError(
    "CORE_TOO_MANY_INVOCATIONS",
    `${MAX_OPEN_SCOPES} invocations are open; dispose of each scope, and limit how many run at once`,
  );

const ownScope = (): FrameworkError =>
  new FrameworkError("CORE_BAD_INVOCATION", "a request has a scope of its own: use request.scope");

const invocationScope = ({ name }: Definition, owner: Lifetime): InvocationScope => {
  if (owner instanceof InvocationScope) return owner;
  throw new FrameworkError(
    "CORE_DEPENDENCY_SCOPE",
    `"${name}" has the scope invocation; no invocation is running here`,
  );
};

const toError = ({ code, message }: Problem): FrameworkError => new FrameworkError(code, message);
