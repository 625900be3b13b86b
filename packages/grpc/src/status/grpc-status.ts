/** The status codes of gRPC by name. */
export const GrpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** Name of a status code, such as `NOT_FOUND`. */
export type GrpcStatusName = keyof typeof GrpcStatus;

const names = Object.keys(GrpcStatus) as GrpcStatusName[]; // in the order of their numbers

/** Returns the name of a code; `UNKNOWN` for numbers that gRPC does not define. */
export const statusName = (code: number): GrpcStatusName => names[code] ?? "UNKNOWN";
