import { App, type Middleware } from "@framework/core";
import { breaker, circuitBreaker, type CircuitState } from "./index.ts";

const app = new (App.with(circuitBreaker))();

app
  .enableCircuitBreaker()
  .enableCircuitBreaker({ failureThreshold: 5, resetTimeout: 30, halfOpenTarget: 3, failureCodes: [500] })
  .enableCircuitBreaker({ scope: "app", onTransition: ({ name, to }) => console.log(name, to) })
  .get("/", { breaker: false }, () => "hello");
app.get("/own", { breaker: { failureCodes: [404], resetTimeout: 1 } }, () => "own");

const states: CircuitState[] = app.circuits.list().map(({ state }) => state);
await app.circuits.trip(states[0] ?? "");

// a breaker is a middleware of any input and output
const guard: Middleware<Request, Response> = breaker<Request, Response>();
const shared: Middleware<string, number> = app.circuits.around<string, number>("calls", {
  isFailure: (output) => output < 0,
});
void [guard, shared];

// @ts-expect-error the method exists only if the feature is composed
new App().enableCircuitBreaker();

// @ts-expect-error a misspelt option
app.enableCircuitBreaker({ failureTreshold: 5 });

// @ts-expect-error a scope must be "route" or "app"
app.enableCircuitBreaker({ scope: "worker" });

// @ts-expect-error fallback returns the output's type
breaker<string, number>({ fallback: () => "later" });

// @ts-expect-error circuits is read-only
app.circuits = new (App.with(circuitBreaker))().circuits;

// @ts-expect-error only the app's configuration has onTransition
app.circuits.around("calls", { onTransition() {} });
