import { topic } from "@framework/messaging";
import { z } from "zod";
import { text, wholeNumber } from "../fields.ts";

/** Number of an order, chosen by the client; it identifies the order. */
export const OrderNumber = wholeNumber(/^[1-9]\d{0,14}$/);

/** Body of a request that places an order. */
export const NewOrder = z.object({
  book: z.int().positive(),
  copies: z.int().min(1).max(100).default(1),
  card: text(30).min(1),
});

/** An order with its number. */
export const OrderInput = NewOrder.extend({ order: z.int() });

/** Body of a request that marks an order as shipped, sent by the warehouse. */
export const Shipment = z.object({ parcel: text(100).min(1) });

/** Status of an order. `attention`: an operator has to decide. */
export const OrderStatus = z.enum(["working", "packing", "shipped", "cancelled", "attention"]);

/** An order in replies. */
export const Order = z.object({
  order: z.int(),
  status: OrderStatus,
  book: z.int(),
  copies: z.int(),
  payment: z.string().optional(),
  parcel: z.string().optional(),
  /** Why the order was cancelled. */
  reason: z.string().optional(),
});
export type Order = z.infer<typeof Order>;

/** Events of orders, for the warehouse and other services. */
export const orderEvents = topic("orders", {
  "order.paid": z.object({ order: z.int(), book: z.int(), copies: z.int() }),
});

/** Price of a copy, in cents. */
export const PRICE_CENTS = 1200;
