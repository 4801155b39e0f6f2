package flink

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
)

const builderClass = "org/apache/beam/vendor/grpc/v1/io/grpc/netty/NettyServerBuilder"

// classFile makes a class with the constants that matter, among others of all sizes,
// and so many calls of the kind that is replaced. What is made of it for a real one is
// proven by Java, which runs it in the tests of Flink.
func classFile(calls int) []byte {
	var b bytes.Buffer
	u2 := func(values ...int) {
		for _, v := range values {
			b.Write(binary.BigEndian.AppendUint16(nil, uint16(v)))
		}
	}
	b.Write([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 55})
	u2(16)
	for _, text := range []string{"java/net/InetSocketAddress", "getPort", "()I", builderClass, "forPort",
		"(I)L" + builderClass + ";"} { // 1 to 6
		b.WriteByte(constantUTF8)
		u2(len(text))
		b.WriteString(text)
	}
	b.Write([]byte{5, 1, 2, 3, 4, 5, 6, 7, 8})      // 7 and 8
	b.Write([]byte{7, 0, 1, 7, 0, 4})               // 9 and 10: the classes
	b.Write([]byte{12, 0, 2, 0, 3, 12, 0, 5, 0, 6}) // 11 and 12: names and types
	b.Write([]byte{10, 0, 9, 0, 11})                // 13: getPort
	b.Write([]byte{10, 0, 10, 0, 12})               // 14: forPort
	b.Write([]byte{15, 6, 0, 14})                   // 15: a handle
	b.WriteString("before")
	for range calls {
		b.Write([]byte{0xb6, 0, 13, 0xb8, 0, 14})
	}
	b.WriteString("after")
	return b.Bytes()
}

func TestBindToAddress(t *testing.T) {
	class := classFile(1)
	changed, err := bindToAddress(class)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := readConstants(changed)
	if err != nil {
		t.Fatal(err)
	}
	if owner, name, descriptor := pool.method(14); owner != builderClass || name != "forAddress" ||
		descriptor != "(Ljava/net/SocketAddress;)L"+builderClass+";" {
		t.Errorf("it calls %s.%s%s", owner, name, descriptor)
	}
	if _, name, _ := pool.method(13); name != "getPort" {
		t.Errorf("another call is %s now", name)
	}
	if want := "before\x00\x00\x00\xb8\x00\x0eafter"; string(changed[pool.end:]) != want {
		t.Errorf("its code is %q, want %q", changed[pool.end:], want)
	}
	for name, other := range map[string][]byte{"no call": classFile(0), "two calls": classFile(2), "already changed": changed} {
		if _, err := bindToAddress(other); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	end := bytes.Index(class, []byte("before"))
	for cut := range class[:end] {
		if _, err := bindToAddress(class[:cut]); err == nil {
			t.Errorf("%d of %d bytes: no error", cut, len(class))
		}
	}
	for i := range end { // damaged numbers lead nowhere
		damaged := bytes.Clone(class)
		damaged[i] ^= 0xff
		_, _ = bindToAddress(damaged)
	}
}

// The class is found in a jar, and in a folder of jars; a job server with another one
// is refused: it would listen to everybody.
func TestWriteServerFactory(t *testing.T) {
	good := jar(t, "server.jar", map[string]string{driverFile: "", serverFactory: string(classFile(1))})
	for name, test := range map[string]struct{ server, want string }{
		"a jar":    {good, ""},
		"a folder": {filepath.Dir(good), ""},
		"another": {jar(t, "server.jar", map[string]string{serverFactory: string(classFile(0))}),
			"is not as Beam 2.62 has it; `sentweave doctor --install flink`"},
		"none": {jar(t, "server.jar", map[string]string{driverFile: ""}), "from listening to other machines: it has no class"},
	} {
		file := filepath.Join(t.TempDir(), "first.jar")
		err := writeServerFactory(file, test.server)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if err != nil {
			continue
		}
		want, _ := bindToAddress(classFile(1))
		if class, err := classOf(file); err != nil || !bytes.Equal(class, want) {
			t.Errorf("%s: it holds %q, %v", name, class, err)
		}
	}
}
