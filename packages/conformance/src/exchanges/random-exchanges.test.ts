import { describe, test } from "@jest/globals";
import { bothTransports } from "../harness/both-transports.ts";
import { overHttp1 } from "./exchange-client.ts";
import { randomExchanges } from "./random-exchanges.ts";

describe.each(bothTransports)("%s", (_name, make) => {
  randomExchanges(test, make, overHttp1);
});
