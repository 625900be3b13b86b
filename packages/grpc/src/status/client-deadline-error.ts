import { GrpcError } from "./grpc-error.ts";

/** DEADLINE_EXCEEDED at the deadline that the client set, not at the limit of the method. It does not count as a failure of the service. */
export class ClientDeadlineError extends GrpcError {
  /** @param outcome the handler's own DEADLINE_EXCEEDED, whose message and details the client gets. @default none */
  constructor(outcome?: GrpcError) {
    super("DEADLINE_EXCEEDED", outcome?.message ?? "Deadline exceeded", outcome);
  }
}
