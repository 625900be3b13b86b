import { type DynamicModule, Module, StandardSchemaValidationPipe } from "@nestjs/common";
import { APP_FILTER, APP_PIPE } from "@nestjs/core";
import { BooksController } from "./books.controller.ts";
import { BooksService } from "./books.service.ts";
import { ErrorsFilter, invalidInput } from "./errors.filter.ts";
import { HealthController } from "./health.controller.ts";

const pipe = new StandardSchemaValidationPipe({
  exceptionFactory: (issues) =>
    invalidInput(
      issues.map(({ path: [first = ""] = [] }) => String(typeof first === "object" ? first.key : first)),
    ),
});

@Module({})
export class AppModule {
  static withKey(apiKey: string): DynamicModule {
    return {
      module: AppModule,
      controllers: [BooksController, HealthController],
      providers: [
        BooksService,
        { provide: "API_KEY", useValue: apiKey },
        { provide: APP_PIPE, useValue: pipe },
        { provide: APP_FILTER, useClass: ErrorsFilter },
      ],
    };
  }
}
