import { type AnySaga, saga } from "@framework/saga";

/** A saga whose second step does what the process says. */
export const killedSaga = (second: (key: string) => Promise<string> | string): AnySaga =>
  saga("killed", 1)
    .call("first", () => "once")
    .call("second", ({ idempotencyKey }) => second(idempotencyKey))
    .build();
