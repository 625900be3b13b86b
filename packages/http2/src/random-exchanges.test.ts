import { overHttp2, randomExchanges } from "@framework/conformance";
import { describe, test } from "@jest/globals";
import { http2Transports } from "./transports.test-kit.ts";

describe.each(http2Transports)("%s", (_name, make) => {
  randomExchanges(test, make, overHttp2);
});
