import { FrameworkError } from "@framework/core";

/** Returns the error for a value of the wrong type. @param wanted completes "must be" */
export const badMessage = (place: string, wanted: string): FrameworkError =>
  new FrameworkError("GRPC_BAD_MESSAGE", `${place} must be ${wanted}`);
