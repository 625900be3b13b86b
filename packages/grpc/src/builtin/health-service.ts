import type { Clock } from "@framework/core/feature";
import type { GrpcCall } from "../call/grpc-call.ts";
import type { AnyImplementation } from "../call/implementation.ts";
import { GrpcError } from "../status/grpc-error.ts";
import { builtinService } from "./builtin-service.ts";
import type { GrpcService } from "../service/grpc-service.ts";
import type { Readiness } from "./readiness.ts";

/** Milliseconds between two checks of a watched status. */
const WATCH_MS = 1000;
/** Maximum number of streams that watch the health. */
const MAX_WATCHERS = 1000;

const PROTO = `
syntax = "proto3";
package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse {
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  ServingStatus status = 1;
}
message HealthListRequest {}
message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
service Health {
  rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
  rpc List(HealthListRequest) returns (HealthListResponse);
  rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
}`;

type Status = "SERVING" | "NOT_SERVING" | "SERVICE_UNKNOWN";

interface HealthRequest {
  readonly service: string;
}

/** Dependencies of the health service. */
export interface HealthServiceParts {
  readonly readiness: Readiness;
  /** Names of the app's services. */
  readonly services: () => readonly string[];
  readonly clock: Clock;
}

export const healthService: GrpcService = builtinService("grpc.health.v1.Health", PROTO);

/** The health of the app (grpc.health.v1): every service is ready when the app is. */
export const healthImplementation = ({
  readiness,
  services,
  clock,
}: HealthServiceParts): AnyImplementation => {
  let watchers = 0;
  const isKnown = (service: string): boolean => service === "" || services().includes(service);
  const statusOf = async (service: string): Promise<Status> => {
    if (!isKnown(service)) return "SERVICE_UNKNOWN";
    return (await readiness.isReady()) ? "SERVING" : "NOT_SERVING";
  };
  async function* watch({ service }: HealthRequest, call: GrpcCall): AsyncGenerator<{ status: Status }> {
    if (watchers >= MAX_WATCHERS)
      throw new GrpcError("RESOURCE_EXHAUSTED", "Too many streams watch the health");
    watchers++;
    try {
      let last: Status | null = null;
      while (call.aborted === null) {
        const status = await statusOf(service);
        if (status !== last) yield { status };
        last = status;
        // A draining service sends NOT_SERVING, then ends the stream.
        if (call.draining.aborted) return;
        await pause(call, clock);
      }
    } finally {
      watchers--;
    }
  }
  return {
    Check: {
      open: true,
      handle: async ({ service }: HealthRequest): Promise<{ status: Status }> => {
        const status = await statusOf(service);
        if (status === "SERVICE_UNKNOWN") throw new GrpcError("NOT_FOUND", "The service is unknown");
        return { status };
      },
    },
    List: {
      open: true,
      handle: async (): Promise<object> => {
        const names = ["", ...services()];
        const statuses = await Promise.all(
          names.map(async (name) => [name, { status: await statusOf(name) }] as const),
        );
        return { statuses: Object.fromEntries(statuses) };
      },
    },
    Watch: { open: true, timeoutSecs: 0, handle: watch },
  };
};

/** Waits until the next check, the end of the call or the drain. */
const pause = async ({ signal, draining }: GrpcCall, clock: Clock): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = clock.after(WATCH_MS, resolve);
  const wake = (): void => resolve();
  for (const each of [signal, draining]) each.addEventListener("abort", wake);
  if (signal.aborted || draining.aborted) resolve();
  await promise;
  stop();
  for (const each of [signal, draining]) each.removeEventListener("abort", wake);
};
