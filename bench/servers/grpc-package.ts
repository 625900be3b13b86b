/** Loads the package from its source: bench depends on core only, so that a comparison installs nothing else. */
// oxlint-disable-next-line no-restricted-imports -- see above
export { grpc, GrpcError, protoService } from "../../packages/grpc/src/index.ts";
