import (
	"encoding/json"
)

// Marshal returns the JSON of a value.
func Marshal(value interface{}) ([]byte, error) {
	return json.Marshal(value)
}

// Unmarshal returns the members of a JSON object.
func Unmarshal(data []byte) (map[string]interface{}, error) {
	var members map[string]interface{}
	err := json.Unmarshal(data, &members)
	return members, err
}
