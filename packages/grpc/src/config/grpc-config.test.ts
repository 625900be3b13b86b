import { expect, test } from "@jest/globals";
import { GrpcConfig } from "./grpc-config.ts";

test("a field of a preset that is undefined counts as not given", () => {
  expect(GrpcConfig.local({ reflection: undefined })).toMatchObject({ reflection: true, enableWeb: true });
  expect(GrpcConfig.production({ concurrencyLimit: undefined, keepaliveSecs: 30 })).toMatchObject({
    concurrencyLimit: 1000,
    keepaliveSecs: 30,
  });
});

test("a preset reports an input that is not an object", () => {
  expect(() => GrpcConfig.local("reflection" as never)).toThrow("GrpcConfig must be an object with fields");
});
