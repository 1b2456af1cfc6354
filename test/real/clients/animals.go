// Adds, pages, fetches, clears a status and reads an error, and prints what came back.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"example.org/storeapi"
)

func must[Value any](value Value, response any, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func pages(ctx context.Context, animals *storeapi.AnimalsAPIService) [][]string {
	pages := [][]string{}
	cursor := ""
	for {
		request := animals.ListPets(ctx).Limit(2)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		pets, response, err := request.Execute()
		if err != nil {
			panic(err)
		}
		names := []string{}
		for _, pet := range pets {
			names = append(names, pet.GetName())
		}
		pages = append(pages, names)
		cursor = response.Header.Get("Next-Cursor")
		if cursor == "" {
			return pages
		}
	}
}

func refusal(ctx context.Context, animals *storeapi.AnimalsAPIService) string {
	_, _, err := animals.GetPet(ctx, 999).Execute()
	var failure *storeapi.GenericOpenAPIError
	if !errors.As(err, &failure) {
		return "none"
	}
	answered, ok := failure.Model().(storeapi.Error)
	if !ok {
		return "another model"
	}
	return fmt.Sprintf("%d %s", answered.GetStatus(), answered.GetCode())
}

func main() {
	configuration := storeapi.NewConfiguration()
	configuration.Servers = storeapi.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	configuration.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("API_KEY"))
	animals := storeapi.NewAPIClient(configuration).AnimalsAPI
	ctx := context.Background()

	bella := storeapi.NewPetInput("Bella", 9007199254740993)
	bella.SetStatus(storeapi.AVAILABLE)
	add := func() *storeapi.Pet {
		return must(animals.CreatePet(ctx).PetInput(*bella).IdempotencyKey(`"add Bella"`).Execute())
	}
	added := add()
	again := add()
	for _, name := range []string{"Rex", "Ada"} {
		must(animals.CreatePet(ctx).PetInput(*storeapi.NewPetInput(name, 1)).Execute())
	}

	listed := pages(ctx, animals)
	fetched := must(animals.GetPet(ctx, added.GetId()).Execute())
	change := storeapi.NewPetChange()
	change.SetStatusNil()
	cleared := must(animals.ChangePet(ctx, added.GetId()).PetChange(*change).Execute())

	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"again":    again.GetId() == added.GetId(),
		"pages":    listed,
		"category": strconv.FormatInt(fetched.GetCategoryId(), 10),
		"status":   fetched.GetStatus(),
		"cleared":  !cleared.HasStatus(),
		"error":    refusal(ctx, animals),
	})
}
