import { FrameworkError } from "@framework/core";

/** Returns the error for a value without the type of its field; `wanted` completes "must be". */
export const badMessage = (place: string, wanted: string): FrameworkError =>
  new FrameworkError("GRPC_BAD_MESSAGE", `${place} must be ${wanted}`);
