import { describe, test } from "@jest/globals";
import { bothTransports } from "./testing/both-transports.ts";
import { rfc9112Suite } from "./testing/rfc9112/suite.ts";

describe.each(bothTransports)("%s", (_, make) => {
  rfc9112Suite(test, make);
});
