import { type AppSettings, ConfigurationError, type Problem } from "@framework/core";
import { type Clock, type HealthCheck, messageOf, systemClock } from "@framework/core/feature";
import { DescriptorIndex } from "../builtin/descriptor-index.ts";
import { healthImplementation, healthService } from "../builtin/health-service.ts";
import { Readiness } from "../builtin/readiness.ts";
import { reflectionImplementation, reflectionServices } from "../builtin/reflection-service.ts";
import type { BoundMethod } from "../call/bound-method.ts";
import type { GrpcConfig } from "../config/grpc-config.ts";
import { isServiceName } from "../service/grpc-service.ts";
import { type AddedService, bindMethods, implementationProblems, nameProblems } from "./added-service.ts";

/** Arguments of `resolveServices`. */
export interface ServicesToResolve {
  readonly config: GrpcConfig;
  readonly env: AppSettings["env"];
  readonly added: readonly AddedService[];
  /** Returns the health checks of the app; called by each run of the checks. */
  readonly healthChecks: () => readonly HealthCheck[];
}

/** The services of a server with their methods, and the mistakes in them. */
export interface ResolvedServices {
  /** The methods by `service/method`. */
  readonly methods: ReadonlyMap<string, BoundMethod>;
  readonly readiness: Readiness;
  readonly clock: Clock;
  readonly problems: readonly Problem[];
}

/** Resolves the added services, the health service, and the reflection services if they are enabled. */
export const resolveServices = ({
  config,
  env,
  added,
  healthChecks,
}: ServicesToResolve): ResolvedServices => {
  const clock = config.clock ?? systemClock;
  const readiness = new Readiness(healthChecks, clock);
  const index = new DescriptorIndex();
  const names = (): readonly string[] => added.map(({ service }) => service.name);
  const health = {
    service: healthService,
    implementation: healthImplementation({ readiness, services: names, clock }),
    rules: {},
    isExempt: true, // like probes over HTTP
  };
  const allNames = (): readonly string[] => all.map(({ service }) => service.name);
  const reflection = reflectionServices.map((service) => ({
    service,
    implementation: reflectionImplementation(index, allNames),
    rules: {},
  }));
  const all: readonly AddedService[] = [...added, health, ...(config.reflection ? reflection : [])];
  const problems: Problem[] = [...nameProblems(all)];
  const methods = new Map<string, BoundMethod>();
  for (const each of all.filter(({ service }) => isServiceName(service.name))) {
    try {
      const resolved = each.service.resolve({ recorded: added.includes(each) && env === "production" });
      for (const name of index.add(resolved.files)) problems.push(clash(each.service.name, name));
      problems.push(...implementationProblems(each, resolved.methods));
      for (const bound of bindMethods(each, resolved.methods, config)) methods.set(bound.name, bound);
    } catch (error) {
      problems.push(...problemsOf(error, each.service.name));
    }
  }
  return { methods, readiness, clock, problems };
};

const problemsOf = (error: unknown, service: string): readonly Problem[] =>
  error instanceof ConfigurationError
    ? error.problems
    : [{ code: "GRPC_BAD_SERVICE", message: `${service} cannot be read: ${messageOf(error)}` }];

const clash = (service: string, message: string): Problem => ({
  code: "GRPC_BAD_SERVICE",
  message: `${service}: another service of the package has a different message ${message}; give one of the schemas a \`title\`, or use two packages`,
});
