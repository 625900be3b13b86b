import { type Injections, isGuard, type Problem } from "@framework/core";
import { unknownFields } from "@framework/core/feature";
import type { BoundMethod } from "../call/bound-method.ts";
import { badServiceName, type GrpcMethod, type GrpcService, isServiceName } from "../service/grpc-service.ts";
import type { AnyImplementation, CallRules, ServiceOptions } from "../call/implementation.ts";
import type { GrpcConfig } from "../config/grpc-config.ts";

/** A service with its handlers and rules, as passed to `addGrpcService`. */
export interface AddedService {
  readonly service: GrpcService;
  readonly implementation: AnyImplementation;
  /** Rules of all its methods. */
  readonly rules: ServiceOptions<Injections | undefined>;
  /** Whether the app's limits and breakers skip its calls. @default false */
  readonly isExempt?: boolean;
}

/** Returns the mistake in arguments of wrong types, which only untyped programs pass; `null` for valid arguments. */
export const argumentProblem = ({ service, implementation, rules }: AddedService): Problem | null => {
  const { name, resolve } = Object(service) as { name?: unknown; resolve?: unknown };
  if (typeof name !== "string" || typeof resolve !== "function")
    return problem(
      "the first argument of addGrpcService must be a service made by grpcService or protoService, or a name",
    );
  if (!isObject(implementation))
    return problem(`the second argument of addGrpcService for ${name} must be an object of handlers`);
  return isObject(rules)
    ? null
    : problem(`the third argument of addGrpcService for ${name} must be an object of options`);
};

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the mistakes in the names of services: malformed and duplicate ones. */
export const nameProblems = (added: readonly AddedService[]): readonly Problem[] => {
  const seen = new Set<string>();
  return added.flatMap(({ service: { name } }) => {
    const isTaken = seen.has(name);
    seen.add(name);
    if (!isServiceName(name)) return [badServiceName(name)];
    return isTaken ? [problem(`the service ${name} was added twice`)] : [];
  });
};

/** Returns the mistakes of an implementation: handlers of methods that do not exist, and mistakes in rules. */
export const implementationProblems = (
  { service, implementation, rules }: AddedService,
  methods: readonly GrpcMethod[],
): readonly Problem[] => {
  const names = new Set(methods.map(({ name }) => name));
  const unknown = Object.keys(implementation)
    .filter((name) => !names.has(name))
    .map((name) => `${service.name} has no method ${name}; it has ${[...names].join(", ") || "none"}`);
  // Only own members are handlers: methods of a class would lose their `this`.
  const inherited = [...names]
    .filter((name) => name in implementation && !Object.hasOwn(implementation, name))
    .filter((name) => !(name in Object.prototype))
    .map(
      (name) =>
        `${service.name}/${name}: the handler is inherited, such as a method of a class; pass an object that has the handlers as its own members`,
    );
  const ofMethods = Object.entries(implementation).flatMap(([name, given]) =>
    typeof given === "object" && given !== null
      ? ruleProblems(`${service.name}/${name}`, given, ["handle"])
      : [],
  );
  const noHandlers = Object.entries(implementation)
    .filter(([, given]) => !isHandler(given))
    .map(([name]) => `${service.name}/${name}: a handler must be a function`);
  return [
    ...unknown,
    ...inherited,
    ...noHandlers,
    ...ruleProblems(`the rules of ${service.name}`, rules, ["inject"]),
    ...ofMethods,
  ].map(problem);
};

/** Whether a method has a handler or only rules, both of which are valid. */
const isHandler = (given: unknown): boolean => {
  const handle: unknown =
    typeof given === "object" && given !== null ? (given as { handle?: unknown }).handle : given;
  return handle === undefined || typeof handle === "function";
};

/** Returns the mistakes in rules. A misspelt `guards` or a malformed guard would admit every caller. */
const ruleProblems = (place: string, rules: CallRules, others: readonly string[]): readonly string[] => {
  const { guards = [], open = false, timeoutSecs = 0 } = rules;
  const areGuards = Array.isArray(guards) && guards.every(isGuard);
  return [
    ...unknownFields(place, rules, ["guards", "open", "timeoutSecs", ...others]),
    ...(areGuards ? [] : [`${place}: guards must be a list of guards`]),
    ...(typeof open === "boolean" ? [] : [`${place}: open must be true or false`]),
    ...(Number.isFinite(timeoutSecs) && timeoutSecs >= 0
      ? []
      : [`${place}: timeoutSecs must be a number of at least 0`]),
  ];
};

/** Binds the methods of a service to their handlers and rules. */
export const bindMethods = (
  { service, implementation, rules, isExempt = false }: AddedService,
  methods: readonly GrpcMethod[],
  config: Pick<GrpcConfig, "auth" | "guards" | "maxCallSecs">,
): readonly BoundMethod[] =>
  methods.map((method) => {
    const given = Object.hasOwn(implementation, method.name) ? implementation[method.name] : undefined;
    const own: CallRules = typeof given === "object" ? given : {};
    const isOpen = own.open ?? rules.open ?? false;
    const timeoutSecs = own.timeoutSecs ?? rules.timeoutSecs ?? config.maxCallSecs;
    return {
      method,
      name: `${service.name}/${method.name}`,
      service: service.name,
      handle: (typeof given === "object" ? given.handle : given) ?? null,
      inject: rules.inject,
      usesAppGuards: !isOpen,
      isExempt,
      auth: isOpen ? null : (config.auth ?? null),
      guards: [...(isOpen ? [] : config.guards), ...(rules.guards ?? []), ...(own.guards ?? [])],
      limitMs: timeoutSecs * 1000,
    };
  });

const problem = (message: string): Problem => ({ code: "GRPC_BAD_SERVICE", message });
