import { z } from "zod";

export const PageSchema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  size: z.coerce.number().int().min(1).max(100).default(20),
});
export type Page = z.infer<typeof PageSchema>;

export const NewBookSchema = z.object({
  title: z.string().min(1),
  author: z.string().default("Unknown"),
  year: z.int().min(0).nullable().default(null),
});
