package books;

import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.resource.NoResourceFoundException;
import tools.jackson.core.JacksonException;

/** One shape for every error: {"error": "..."}. */
@RestControllerAdvice
class Errors {
  record InvalidInput(String error, List<String> fields) {
    static InvalidInput of(List<String> fields) {
      return new InvalidInput("Invalid input", fields);
    }
  }

  @ExceptionHandler
  ResponseEntity<Map<String, String>> refused(ResponseStatusException error) {
    return ResponseEntity.status(error.getStatusCode()).body(Map.of("error", error.getReason()));
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.NOT_FOUND)
  Map<String, String> notFound(NoResourceFoundException error) {
    return Map.of("error", "Not found");
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  InvalidInput body(MethodArgumentNotValidException error) {
    return InvalidInput.of(error.getFieldErrors().stream().map(FieldError::getField).sorted().toList());
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  InvalidInput query(HandlerMethodValidationException error) {
    return InvalidInput.of(
        error.getParameterValidationResults().stream()
            .map(result -> result.getMethodParameter().getParameterName())
            .toList());
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  InvalidInput type(MethodArgumentTypeMismatchException error) {
    return InvalidInput.of(List.of(error.getName()));
  }

  @ExceptionHandler
  @ResponseStatus(HttpStatus.BAD_REQUEST)
  InvalidInput json(HttpMessageNotReadableException error) {
    if (error.getCause() instanceof JacksonException cause && !cause.getPath().isEmpty()) {
      return InvalidInput.of(List.of(cause.getPath().get(0).getPropertyName()));
    }
    return InvalidInput.of(List.of("body"));
  }
}
