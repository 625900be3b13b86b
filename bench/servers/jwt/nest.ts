/** Nest on Fastify, with a guard that uses `@nestjs/jwt`. */
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  Req,
  UnauthorizedException,
  UseGuards,
} from "@nestjs/common";
import { JwtModule, JwtService } from "@nestjs/jwt";
import { decorate, startNest } from "../nest-service.ts";
import { ALGORITHM, AUDIENCE, ISSUER, SECRET } from "./rules.ts";

interface Call {
  readonly headers: { readonly authorization?: string };
  user?: { readonly sub: string };
}

class TokenGuard implements CanActivate {
  private readonly jwt: JwtService;

  constructor(jwt: JwtService) {
    this.jwt = jwt;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const call = context.switchToHttp().getRequest<Call>();
    const [scheme, token = ""] = call.headers.authorization?.split(" ") ?? [];
    if (scheme !== "Bearer") throw new UnauthorizedException();
    try {
      call.user = await this.jwt.verifyAsync<{ readonly sub: string }>(token);
    } catch {
      throw new UnauthorizedException();
    }
    return true;
  }
}
Reflect.defineMetadata("design:paramtypes", [JwtService], TokenGuard);

class MeController {
  me({ user }: Call): object {
    return { sub: user?.sub };
  }
}
decorate(MeController.prototype, "me", Get("/me"), UseGuards(TokenGuard));
Req()(MeController.prototype, "me", 0);
Controller()(MeController);

class MeModule {}
Module({
  imports: [
    JwtModule.register({
      secret: SECRET,
      verifyOptions: { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE },
    }),
  ],
  controllers: [MeController],
  providers: [TokenGuard],
})(MeModule);
await startNest(MeModule);
