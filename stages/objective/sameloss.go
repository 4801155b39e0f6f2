package objective

import "reflect"

// ChangedLoss returns the name of a setting by which the losses of two configurations of one objective are not the same
// function of vectors, so that a smaller one is not a better one; "" if there is none. The tag changes:"loss" marks these.
func ChangedLoss(a, b Config) string {
	return changedLoss(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

func changedLoss(a, b reflect.Value) string {
	for i := range a.NumField() {
		switch f := a.Type().Field(i); {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if name := changedLoss(a.Field(i), b.Field(i)); name != "" {
				return name
			}
		case f.Tag.Get("changes") == "loss" && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()):
			return f.Name
		}
	}
	return ""
}
