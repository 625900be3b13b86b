import { FrameworkError } from "@framework/core";

/** Returns the WEBSOCKET_BAD_MESSAGE for a value of a wrong type. */
export const badMessage = (problem: string, value: unknown, hint = ""): FrameworkError =>
  new FrameworkError(
    "WEBSOCKET_BAD_MESSAGE",
    `${problem}, not ${value === null ? "null" : typeof value}${hint}`,
  );
