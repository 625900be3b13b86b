import { App, HttpError, type HttpRequest, type Response } from "@framework/core";
import type { ConfigInput, Exemption, Feature } from "@framework/core/feature";
import { type VirtualClock, virtualClock } from "@framework/core/testing";
import type { TestClient } from "@framework/testing";
import { type CircuitBreaker, circuitBreaker, type CircuitBreakerConfig } from "./index.ts";

/** Access of tests to an app's metrics and feature routes. */
export interface TestAccess {
  metrics(): Readonly<Record<string, unknown>>;
  /** Adds a route of a feature. */
  featureRoute(path: string, exempt: readonly Exemption[]): void;
}

const testAccess: Feature<TestAccess> = {
  name: "testAccess",
  install: (host) => ({
    metrics: () => Object.fromEntries(host.insight.metrics().map((metric) => [metric.name, metric.read()])),
    featureRoute: (path, exempt) =>
      void host.http.route("GET", path, () => Promise.reject(new Error("down")), { exempt }),
  }),
};

export interface World {
  /** Returns the output of a handler. */
  answer: (request: HttpRequest) => unknown;
  /** Number of handler calls. */
  handled: number;
}

export type GuardedApp = App &
  CircuitBreaker &
  TestAccess & { readonly world: World; readonly clock: VirtualClock };

/** Creates an app with circuits whose clock and handlers a test controls. */
export const guardedApp = (config: ConfigInput<CircuitBreakerConfig> = {}): GuardedApp => {
  const clock = virtualClock();
  const world: World = { answer: () => "hello", handled: 0 };
  const app = new (App.with(circuitBreaker, testAccess))().enableCircuitBreaker({
    clock,
    ...config,
  });
  const handle = (request: HttpRequest): Response => {
    world.handled++;
    return world.answer(request) as Response;
  };
  app.get("/", handle);
  app.get("/books/{id}", handle);
  app.post("/books/{id}", handle);
  app.get("/free", { breaker: false }, handle);
  app.get("/own", { breaker: { failureThreshold: 1, failureCodes: [404], resetTimeout: 60 } }, handle);
  app.featureRoute("/exempt", ["limits"]);
  app.featureRoute("/added", ["guards", "telemetry"]);
  return Object.assign(app, { world, clock });
};

export const fails =
  (status = 500): (() => never) =>
  () => {
    throw new HttpError(status, "no");
  };

/** Sends a GET several times. Returns the statuses. */
export const statuses = async (client: TestClient, path: string, times: number): Promise<number[]> => {
  const seen = [];
  for (let time = 0; time < times; time++) seen.push((await client.get(path)).status);
  return seen;
};
