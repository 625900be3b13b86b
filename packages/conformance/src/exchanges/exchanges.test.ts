import { describe, test } from "@jest/globals";
import { bothTransportsAndTls } from "../harness/both-transports.ts";
import { overHttp1 } from "./exchange-client.ts";
import { exchangeConformance } from "./exchange-conformance.ts";

describe.each(bothTransportsAndTls)("%s", (_name, make) => {
  exchangeConformance(test, make, overHttp1);
});
