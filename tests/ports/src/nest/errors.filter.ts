import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
} from "@nestjs/common";
import type { Request, Response } from "express";

/** The 400 for values that a schema or a pipe rejects. */
export const invalidInput = (fields: readonly string[]): BadRequestException =>
  new BadRequestException({ error: "Invalid input", fields });

/** Replies to every `HttpException` with `{ error }`, and with the invalid `fields` for a 400. */
@Catch(HttpException)
export class ErrorsFilter implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    http
      .getResponse<Response>()
      .status(exception.getStatus())
      .json(this.body(exception, http.getRequest<Request>()));
  }

  private body(exception: HttpException, request: Request): object {
    const body = exception.getResponse();
    if (typeof body === "object" && "fields" in body) return body;
    if (exception instanceof BadRequestException) return { error: "Invalid input", fields: ["body"] };
    return { error: request.route === undefined ? "Not found" : exception.message };
  }
}
