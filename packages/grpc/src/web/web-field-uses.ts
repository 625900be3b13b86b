import type { FieldUse } from "@framework/core/feature";
import type { RouteInfo } from "@framework/core";

const field = (name: string, side: FieldUse["in"], description: string): FieldUse => ({
  name,
  in: side,
  description,
  type: "string",
});

const uses: readonly FieldUse[] = [
  field("X-Grpc-Web", "request", "Marks a call of a gRPC-Web client."),
  field("X-User-Agent", "request", "The gRPC-Web client."),
  field("Grpc-Timeout", "request", "Time until the deadline of the call, such as `5S`."),
  field("Authorization", "request", "Credentials of the caller."),
  field("Grpc-Status", "reply", "Status of the call, when there are no trailers in the body."),
  field("Grpc-Message", "reply", "Message of the status."),
  field("Grpc-Status-Details-Bin", "reply", "Details of the status."),
];

/** Header fields of gRPC-Web, which CORS must allow for pages of other origins. */
export const webFieldUses = ({ addedBy }: RouteInfo): readonly FieldUse[] => (addedBy === "grpc" ? uses : []);
