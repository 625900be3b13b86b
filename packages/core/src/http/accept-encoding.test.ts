import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { negotiateEncoding } from "./accept-encoding.ts";

const all = ["zstd", "br", "gzip"];
const gzip = ["gzip"];

test.each<[string | null, readonly string[], string | null]>([
  [null, gzip, "identity"],
  ["", gzip, "identity"],
  ["gzip", gzip, "gzip"],
  ["GZIP", gzip, "gzip"],
  ["x-gzip", gzip, "gzip"],
  ["X-GZip", gzip, "gzip"],
  ["gzip;q=1", gzip, "gzip"],
  ["gzip;q=1.0", gzip, "gzip"],
  ["gzip;q=1.000", gzip, "gzip"],
  ["gzip;q=0.001", gzip, "gzip"],
  ["gzip;Q=0.5", gzip, "gzip"],
  ["gzip ; q=0.5", gzip, "gzip"],
  ["gzip; q=0.5", gzip, "gzip"],
  ["gzip;q=0", gzip, "identity"],
  ["gzip;q=0.0", gzip, "identity"],
  ["gzip;q=0.000", gzip, "identity"],
  ["gzip;q=2", gzip, "identity"],
  ["gzip;q=-1", gzip, "identity"],
  ["gzip;q=0.0001", gzip, "identity"],
  ["gzip;q=", gzip, "identity"],
  ["gzip;q=a", gzip, "identity"],
  ["gzip;level=9", gzip, "identity"],
  ["gzip;q=1;x=2", gzip, "identity"],
  ["br", gzip, "identity"],
  ["deflate, br", gzip, "identity"],
  ["unknown", gzip, "identity"],
  ["gzip, deflate, br", gzip, "gzip"],
  [" gzip ,deflate", gzip, "gzip"],
  [",,gzip,,", gzip, "gzip"],
  ["gzip,gzip;q=0", gzip, "gzip"],
  ["gzip;q=0,gzip", gzip, "identity"],
  ["*", gzip, "gzip"],
  ["*;q=0.1", gzip, "gzip"],
  ["*;q=0", gzip, null],
  ["*;q=0, gzip", gzip, "gzip"],
  ["*;q=0, identity", gzip, "identity"],
  ["*;q=0, identity;q=0.1", gzip, "identity"],
  ["*, gzip;q=0", gzip, "identity"],
  ["identity", gzip, "identity"],
  ["identity;q=0", gzip, null],
  ["identity;q=0, gzip", gzip, "gzip"],
  ["identity;q=0, *", gzip, "gzip"],
  ["identity;q=0, gzip;q=0", gzip, null],
  ["identity;q=0, br", gzip, null],
  ["identity;q=1, gzip;q=0.5", gzip, "identity"],
  ["identity;q=0.5, gzip;q=1", gzip, "gzip"],
  ["identity;q=0.5, gzip;q=0.5", gzip, "gzip"],
  ["identity, gzip", gzip, "gzip"],
  ["identity;q=0.001, gzip", gzip, "gzip"],
  ["gzip", all, "gzip"],
  ["br", all, "br"],
  ["zstd", all, "zstd"],
  ["gzip, br", all, "br"],
  ["gzip, br, zstd", all, "zstd"],
  ["gzip, deflate, br, zstd", all, "zstd"],
  ["gzip;q=1, br;q=0.9", all, "gzip"],
  ["gzip;q=0.8, br;q=0.9, zstd;q=0.7", all, "br"],
  ["*", all, "zstd"],
  ["*, zstd;q=0", all, "br"],
  ["*, zstd;q=0, br;q=0", all, "gzip"],
  ["*;q=0.5, gzip;q=0.6", all, "gzip"],
  ["*;q=0.5, identity;q=0.7", all, "identity"],
  ["gzip;q=0, *", all, "zstd"],
  ["zstd;q=0, br;q=0, gzip;q=0, identity;q=0", all, null],
  ["gzip, \u0000", all, "gzip"],
  ["gzip", [], "identity"],
])("for %j and the offered %j, the coding is %j", (field, offered, coding) => {
  expect(negotiateEncoding(field, offered)).toBe(coding);
});

const element = fc
  .record({
    name: fc.constantFrom("gzip", "br", "zstd", "identity", "*", "deflate", "x-gzip"),
    weight: fc.constantFrom("", ";q=0", ";q=0.001", ";q=0.5", ";q=1", "; q=0.000", ";q=x"),
  })
  .map(({ name, weight }) => name + weight);

test("a coding with weight 0, or one that matches neither a name nor a wildcard, is never chosen", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 6 }), (elements) => {
      const coding = negotiateEncoding(elements.join(", "), all);
      if (coding === null || coding === "identity") return;
      const named = elements.find(
        (text) => text.replace("x-gzip", "gzip").startsWith(coding) && !text.endsWith("=x"),
      );
      const matching = named ?? elements.find((text) => text.startsWith("*") && !text.endsWith("=x"));
      expect(matching).toBeDefined();
      expect(matching).not.toMatch(/q=0(?:\.0*)?$/);
    }),
    { numRuns: 1000 },
  );
});

test("the cost is linear in the length of the field", () => {
  const start = process.cpuUsage();
  expect(negotiateEncoding(`${"a;".repeat(100_000)}, gzip`, gzip)).toBe("gzip");
  expect(negotiateEncoding(`gzip${" ".repeat(200_000)};`, gzip)).toBe("identity");
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000); // quadratic time takes far longer
});
