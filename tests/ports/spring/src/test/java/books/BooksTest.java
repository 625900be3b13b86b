package books;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;

@SpringBootTest(properties = "books.api-key=key")
@AutoConfigureMockMvc
class BooksTest {
  @Autowired MockMvc client;

  @Test
  void aBookThatWasAddedIsFound() throws Exception {
    client
        .perform(
            post("/books")
                .header("X-API-Key", "key")
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"title\": \"Emma\"}"))
        .andExpect(status().isCreated());
    client
        .perform(get("/books/1"))
        .andExpect(jsonPath("$.title").value("Emma"))
        .andExpect(jsonPath("$.author").value("Unknown"));
  }
}
