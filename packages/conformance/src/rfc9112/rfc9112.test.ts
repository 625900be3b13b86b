import { describe, test } from "@jest/globals";
import { bothTransports } from "../harness/both-transports.ts";
import { rfc9112Suite } from "./suite.ts";

describe.each(bothTransports)("%s", (_, make) => {
  rfc9112Suite(test, make);
});
