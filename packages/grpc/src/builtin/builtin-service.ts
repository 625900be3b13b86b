import type { MethodDefinition, ServiceDefinition } from "@grpc/proto-loader";
import type { GrpcService } from "../service/grpc-service.ts";
import { methodOfLoader } from "../definitions/loaded-method.ts";
import { describePackages } from "../descriptors/describe-packages.ts";
import { parseProto } from "../descriptors/parse-proto.ts";
import { protoLoader } from "../libraries.ts";

/** Defines a standard gRPC service from the text of its published `.proto`. */
export const builtinService = (name: string, proto: string): GrpcService => ({
  name,
  resolve: () => {
    const root = parseProto(proto);
    const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true };
    // Never undefined: the text defines the service.
    const definition = protoLoader().fromJSON(root.toJSON(), options)[name] as ServiceDefinition;
    const methods = Object.entries(definition).map(
      ([method, parts]: [string, MethodDefinition<object, object>]) => methodOfLoader(method, parts),
    );
    return { methods, files: describePackages(root) };
  },
});
