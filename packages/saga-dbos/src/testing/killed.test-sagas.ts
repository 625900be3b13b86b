import { type AnySaga, saga } from "@framework/saga";

/** Creates a saga with the given second step. */
export const killedSaga = (second: (key: string) => Promise<string> | string): AnySaga =>
  saga("killed", 1)
    .call("first", () => "once")
    .call("second", ({ idempotencyKey }) => second(idempotencyKey))
    .build();
