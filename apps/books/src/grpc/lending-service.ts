import { grpcService, type SchemaService } from "@framework/grpc";
import { z } from "zod";

const Loan = z.object({ book: z.int(), title: z.string(), member: z.string(), dueAt: z.string() });
const idempotencyKey = z.string().min(1).max(200).optional();
/** Consistency token: a command returns it, and a `ListOpenLoans` request with it sees the change of that command. */
const token = z.string().optional();

const methods = {
  Borrow: {
    request: z.object({ book: z.int(), member: z.string(), idempotencyKey }),
    response: z.object({ book: z.int(), member: z.string(), dueAt: z.string(), token }),
  },
  GiveBack: {
    request: z.object({ book: z.int(), idempotencyKey }),
    response: z.object({ token }),
  },
  ListOpenLoans: {
    request: z.object({ member: z.string().optional(), after: z.int().optional(), token }),
    response: z.object({ loans: z.array(Loan) }),
  },
  WatchLoans: {
    request: z.object({ after: z.string().optional() }),
    response: z.object({
      kind: z.enum(["BORROWED", "RETURNED", "REMINDED"]),
      book: z.int(),
      member: z.string(),
      position: z.string(),
    }),
    responseStream: true,
  },
} as const;

/** The lending API for gRPC clients. `lending.proto` records the field numbers: `pnpm proto` writes it. */
export const lendingService: SchemaService<typeof methods> = grpcService("books.v1.Lending", {
  proto: new URL("../../lending.proto", import.meta.url),
  methods,
});
