// PocketBase as a library: its own API of records, over a collection of animals, with the durability of adoption-store.
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

// Every fourth animal has no status, as in the databases of adoption-store.
const fill = `
	insert into pets (id, name, categoryId, status)
	with recursive numbers (n) as (select 1 union all select n + 1 from numbers limit {:animals})
	select printf('%015d', n), 'Bella ' || n, n % 50,
		case n % 4 when 0 then 'available' when 1 then 'pending' when 2 then 'sold' else '' end
	from numbers`

// PocketBase's own pragmas, except that a commit is on disk before it returns: its default is synchronous=NORMAL.
func connect(path string) (*dbx.DB, error) {
	pragmas := []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "journal_size_limit(200000000)", "synchronous(FULL)",
		"foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-32000)",
	}
	return dbx.Open("sqlite", path+"?_pragma="+strings.Join(pragmas, "&_pragma="))
}

// Its rules stay empty: only superusers may list, read and create animals.
func pets() *core.Collection {
	collection := core.NewBaseCollection("pets")
	collection.Fields.Add(
		&core.TextField{Name: "name", Required: true, Max: 200},
		&core.NumberField{Name: "categoryId", OnlyInt: true},
		&core.SelectField{Name: "status", MaxSelect: 1, Values: []string{"available", "pending", "sold"}},
	)
	return collection
}

// What PocketBase recommends as an API key: a token of a superuser that lasts long and can't be renewed.
func token(app core.App) (string, error) {
	superusers, err := app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		return "", err
	}
	user := core.NewRecord(superusers)
	user.SetEmail("bench@example.org")
	user.SetRandomPassword()
	if err := app.Save(user); err != nil {
		return "", err
	}
	return user.NewStaticAuthToken(24 * time.Hour)
}

func prepare(app core.App) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	// adoption-store does not log requests either.
	app.Settings().Logs.MaxDays = 0
	if err := app.Save(app.Settings()); err != nil {
		return err
	}
	if err := app.Save(pets()); err != nil {
		return err
	}
	animals, err := strconv.Atoi(os.Getenv("ANIMALS"))
	if err != nil {
		return err
	}
	if _, err := app.DB().NewQuery(fill).Bind(dbx.Params{"animals": animals}).Execute(); err != nil {
		return err
	}
	key, err := token(app)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(app.DataDir(), "key"), []byte(key), 0o600)
}

func run() error {
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: os.Getenv("DATA_DIR"), DBConnect: connect})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := prepare(app); err != nil {
		return err
	}
	app.OnServe().BindFunc(func(event *core.ServeEvent) error {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		event.Listener = listener
		fmt.Printf("Listening on http://%s\n", listener.Addr())
		return event.Next()
	})
	return apis.Serve(app, apis.ServeConfig{})
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
