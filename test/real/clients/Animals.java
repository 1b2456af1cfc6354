import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import store.AnimalsApi;
import store.client.ApiClient;
import store.client.ApiException;
import store.client.ApiResponse;
import store.model.Error;
import store.model.NewPet;
import store.model.Pet;
import store.model.PetChange;
import store.model.PetStatus;

/** Adds, pages, fetches, clears a status and reads an error, and prints what came back. */
public class Animals {
  private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("API_KEY")));
    AnimalsApi animals = new AnimalsApi(client);
    Map<String, Object> result = new LinkedHashMap<>();

    NewPet bella = new NewPet().name("Bella").categoryId(9007199254740993L).status(PetStatus.AVAILABLE);
    Pet added = animals.createPet(bella, "\"add Bella\"");
    result.put("again", animals.createPet(bella, "\"add Bella\"").getId().equals(added.getId()));
    animals.createPet(new NewPet().name("Rex").categoryId(1L), null);
    animals.createPet(new NewPet().name("Ada").categoryId(1L), null);

    result.put("pages", pages(animals));
    Pet fetched = animals.getPet(added.getId(), null, null);
    result.put("category", fetched.getCategoryId().toString());
    result.put("status", fetched.getStatus().getValue());
    Pet cleared = animals.changePet(added.getId(), new PetChange().status(null), null);
    result.put("cleared", cleared.getStatus() == null);
    result.put("error", error(animals));
    System.out.println(JSON.writeValueAsString(result));
  }

  private static List<List<String>> pages(AnimalsApi animals) throws ApiException {
    List<List<String>> pages = new ArrayList<>();
    String cursor = null;
    do {
      ApiResponse<List<Pet>> page = animals.listPetsWithHttpInfo(
          2, null, cursor, null, null, null, null, null, null, null, null, null, null, null, null);
      pages.add(page.getData().stream().map(Pet::getName).toList());
      List<String> next = page.getHeaders().get("next-cursor");
      cursor = next == null ? null : next.get(0);
    } while (cursor != null);
    return pages;
  }

  private static String error(AnimalsApi animals) throws Exception {
    try {
      animals.getPet(999L, null, null);
      return "none";
    } catch (ApiException exception) {
      Error error = JSON.readValue(exception.getResponseBody(), Error.class);
      return error.getStatus() + " " + error.getCode();
    }
  }
}
